package dev.etcdj.mvcc;

import java.util.List;

/// Answer to a [RangeQuery].
///
/// @param revision the store's current revision when the read ran (KV-12)
/// @param kvs wire-form `mvccpb.KeyValue`s, to be spliced into a response without parsing;
///     read only
/// @param count live keys in the range, whatever the limit (KV-39)
/// @param more whether the limit cut the answer (KV-38)
public record RangeResult(long revision, List<byte[]> kvs, long count, boolean more) {}
