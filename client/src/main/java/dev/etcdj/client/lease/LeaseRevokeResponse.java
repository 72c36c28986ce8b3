package dev.etcdj.client.lease;

import dev.etcdj.client.transport.ResponseHeader;

/// Answer to a revocation.
public record LeaseRevokeResponse(ResponseHeader header) {}
