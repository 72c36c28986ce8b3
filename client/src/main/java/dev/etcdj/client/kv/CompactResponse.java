package dev.etcdj.client.kv;

import dev.etcdj.client.transport.ResponseHeader;

/// Answer to a compaction.
public record CompactResponse(ResponseHeader header) {}
