package dev.etcdj.server.lease;

import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveResponse;
import dev.etcdj.proto.leasepb.LeaseInternalResponse;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.nio.charset.StandardCharsets;

/// Bodies and statuses of what the leader answers on the peer port (LEASE-90, LEASE-91).
final class PeerAnswers {
  private PeerAnswers() {}

  static byte[] text(String text) {
    return (text + "\n").getBytes(StandardCharsets.UTF_8);
  }

  static byte[] keepAlive(long id, long ttlSeconds) {
    return LeaseKeepAliveResponse.newBuilder().setID(id).setTTL(ttlSeconds).build().toByteArray();
  }

  static byte[] timeToLive(long id, Lessor.TimeToLive found) {
    return LeaseInternalResponse.newBuilder()
        .setLeaseTimeToLiveResponse(
            LeaseTimeToLiveResponse.newBuilder()
                .setID(id)
                .setTTL(found.remainingSeconds())
                .setGrantedTTL(found.ttlSeconds())
                .addAllKeys(found.keys()))
        .build()
        .toByteArray();
  }

  static int status(EtcdException why) {
    if (why.text().equals(RpcError.TIMEOUT_WAIT_APPLIED_INDEX.text())) {
      return 408;
    }
    return why.text().equals(RpcError.LEADER_CHANGED.text()) ? 500 : 400;
  }
}
