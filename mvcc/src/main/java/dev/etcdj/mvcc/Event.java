package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;

/// One change, as the watch side takes it from a committed write.
///
/// @param keyValue wire-form `mvccpb.KeyValue` as stored; of a deletion: with key only (KV-8)
/// @param created whether this put began a generation, so that there is no previous value
public record Event(
    ByteString key, Revision revision, boolean delete, boolean created, byte[] keyValue) {}
