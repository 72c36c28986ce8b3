package dev.etcdj.client.lease;

import dev.etcdj.client.transport.ResponseHeader;

/// A lease's new time.
///
/// @param ttlSeconds how long it lives from now on; 0 or less: it is gone
public record LeaseKeepAliveResponse(ResponseHeader header, long id, long ttlSeconds) {
  static LeaseKeepAliveResponse of(dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse wire) {
    return new LeaseKeepAliveResponse(
        ResponseHeader.of(wire.getHeader()), wire.getID(), wire.getTTL());
  }
}
