package dev.etcdj.client.lease;

import dev.etcdj.client.transport.ResponseHeader;

/// A new lease.
///
/// @param ttlSeconds what was granted, which may be more than was asked for (LEASE-13)
/// @param error empty
public record LeaseGrantResponse(ResponseHeader header, long id, long ttlSeconds, String error) {}
