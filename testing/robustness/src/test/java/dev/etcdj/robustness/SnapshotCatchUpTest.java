package dev.etcdj.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseLeasesRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Guarantee: a member that was away for longer than the log reaches back returns by a snapshot
/// and then equals the others (RAFT-54, RAFT-154, RAFT-155).
///
/// Method: a small snapshot-count and few catch-up entries; one member is killed, the others write
/// more entries than both together, then it comes back.
class SnapshotCatchUpTest {
  private static final int ENTRIES = 400;

  @Test
  void aMemberLongAwayReturnsBySnapshot(@TempDir Path folder) throws Exception {
    try (ProcessCluster cluster =
        new ProcessCluster(
            folder, 3, "--snapshot-count", "100", "--snapshot-catchup-entries", "50")) {
      cluster.start();
      put(cluster, 0, 20);
      cluster.member(2).kill();
      // If it led, what is proposed before the others notice is lost on its way there.
      cluster.member(0).awaitHealthy(Duration.ofSeconds(60));
      long lease =
          LeaseGrpc.newBlockingStub(cluster.channel(0))
              .withDeadlineAfter(20, TimeUnit.SECONDS)
              .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(3600).build())
              .getID();
      put(cluster, 20, ENTRIES);
      KVGrpc.newBlockingStub(cluster.channel(0))
          .withDeadlineAfter(20, TimeUnit.SECONDS)
          .deleteRange(DeleteRangeRequest.newBuilder().setKey(key(3)).build());
      cluster.member(2).start();
      cluster.awaitHealthy();
      cluster.reconnect();

      long revision = cluster.revision(2);
      assertEquals(cluster.revision(0), revision);
      for (int i = 0; i < 2; i++) {
        assertEquals(
            cluster.hash(i, revision).getHash(),
            cluster.hash(2, revision).getHash(),
            "member " + i);
      }
      assertTrue(
          LeaseGrpc.newBlockingStub(cluster.channel(2))
              .withDeadlineAfter(20, TimeUnit.SECONDS)
              .leaseLeases(LeaseLeasesRequest.getDefaultInstance())
              .getLeasesList()
              .stream()
              .anyMatch(status -> status.getID() == lease));
      assertTrue(
          cluster.member(2).logText().contains("applied snapshot"),
          "it came back by log, not by snapshot");

      // It goes on from there, also through a restart of its own.
      put(cluster, ENTRIES, ENTRIES + 20);
      cluster.member(2).kill();
      cluster.member(2).start();
      cluster.awaitHealthy();
      cluster.reconnect();
      long later = cluster.revision(2);
      assertEquals(cluster.hash(0, later).getHash(), cluster.hash(2, later).getHash());
    }
  }

  private static void put(ProcessCluster cluster, int from, int to) {
    for (int i = from; i < to; i++) {
      KVGrpc.newBlockingStub(cluster.channel(0))
          .withDeadlineAfter(20, TimeUnit.SECONDS)
          .withWaitForReady()
          .put(PutRequest.newBuilder().setKey(key(i % 50)).setValue(key(i)).build());
    }
  }

  private static ByteString key(int i) {
    return ByteString.copyFromUtf8("key-" + i);
  }
}
