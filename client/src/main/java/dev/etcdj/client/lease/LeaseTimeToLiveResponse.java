package dev.etcdj.client.lease;

import com.google.protobuf.ByteString;
import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// What is left of a lease.
///
/// @param ttlSeconds what is left; -1: there is no such lease
/// @param grantedTtlSeconds what it was granted
/// @param keys keys that hang on it, when asked for
public record LeaseTimeToLiveResponse(
    ResponseHeader header,
    long id,
    long ttlSeconds,
    long grantedTtlSeconds,
    List<ByteString> keys) {}
