package dev.etcdj.client.kv;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// Answer to [DeleteRequest].
///
/// @param deleted how many keys there were
/// @param prevKvs the deleted pairs, when asked for
public record DeleteResponse(ResponseHeader header, long deleted, List<KeyValue> prevKvs)
    implements OpResponse {}
