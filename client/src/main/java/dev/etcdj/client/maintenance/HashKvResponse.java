package dev.etcdj.client.maintenance;

import dev.etcdj.client.transport.ResponseHeader;

/// A hash over the history of keys.
///
/// @param hash unsigned 32 bits
/// @param compactRevision where the history begins; -1: never compacted
/// @param hashRevision up to which it goes
/// Source: etcdserverpb.HashKVResponse.
public record HashKvResponse(
    ResponseHeader header, long hash, long compactRevision, long hashRevision) {}
