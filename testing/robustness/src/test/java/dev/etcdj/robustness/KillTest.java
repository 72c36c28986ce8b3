package dev.etcdj.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.HashKVResponse;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Guarantee: an acknowledged write survives SIGKILL of any member, and of all at once; no
/// revision is given twice; members do not diverge; the watch stream is complete and in order.
///
/// Method: three member processes, writers at 200 puts a second or more, one watcher from
/// revision 1; members are killed and started again. `-Drounds=100` and `-DroundsAll=20` are the
/// long run, `-Dseed=` replays the choice of members.
class KillTest {
  private static final int CLIENTS = 24;
  private static final long PAUSE_MILLIS = 20;
  private static final int WRITES_PER_ROUND = 100;

  private final long seed = Long.getLong("seed", System.nanoTime());

  @Test
  void oneMemberAtATime(@TempDir Path folder) throws Exception {
    run(folder, Integer.getInteger("rounds", 6), false);
  }

  @Test
  void allMembersAtOnce(@TempDir Path folder) throws Exception {
    run(folder, Integer.getInteger("roundsAll", 3), true);
  }

  private void run(Path folder, int rounds, boolean all) throws Exception {
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    History history = new History();
    try (ProcessCluster cluster = new ProcessCluster(folder, 3)) {
      cluster.start();
      long began = System.nanoTime();
      try (Follower follower = new Follower(cluster, history)) {
        try (Writers _ = new Writers(cluster, history, CLIENTS, PAUSE_MILLIS, seed)) {
          for (int round = 0; round < rounds; round++) {
            awaitWrites(history);
            Thread.sleep(random.nextInt(700));
            int from = all ? 0 : random.nextInt(3);
            int to = all ? 3 : from + 1;
            for (int i = from; i < to; i++) {
              cluster.member(i).kill();
            }
            Thread.sleep(random.nextInt(300));
            for (int i = from; i < to; i++) {
              cluster.member(i).start();
            }
            cluster.awaitHealthy();
            cluster.reconnect();
          }
          Thread.sleep(500);
        }
        long seconds = Math.max(1, (System.nanoTime() - began) / 1_000_000_000L);
        System.out.printf(
            "%d rounds, %d puts acknowledged, %d a second%n",
            rounds, history.acknowledgedCount(), history.acknowledgedCount() / seconds);
        cluster.reconnect();
        long revision = cluster.revision(0);
        follower.await(revision, Duration.ofSeconds(30));
        compareMembers(cluster, revision);
        assertEquals(history.state(), state(cluster));
      }
      history.check();
      assertTrue(history.acknowledgedCount() > rounds * 20, "hardly anything was written");
    }
  }

  /// A round counts only if the members were killed while they were writing.
  private static void awaitWrites(History history) throws InterruptedException {
    int enough = history.acknowledgedCount() + WRITES_PER_ROUND;
    for (int i = 0; history.acknowledgedCount() < enough; i++) {
      assertTrue(i < 3_000, "the writers make no progress");
      Thread.sleep(10);
    }
  }

  private static void compareMembers(ProcessCluster cluster, long revision) {
    Map<Integer, Integer> hashes = new HashMap<>();
    for (int i = 0; i < cluster.size(); i++) {
      assertTrue(cluster.revision(i) >= revision);
      HashKVResponse hash = cluster.hash(i, revision);
      hashes.put(i, hash.getHash());
    }
    assertEquals(
        1,
        Map.copyOf(hashes).values().stream().distinct().count(),
        () -> "HashKV differs: " + hashes);
  }

  private static Map<String, String> state(ProcessCluster cluster) {
    RangeResponse all =
        KVGrpc.newBlockingStub(cluster.channel(1))
            .withDeadlineAfter(20, TimeUnit.SECONDS)
            .range(
                RangeRequest.newBuilder()
                    .setKey(ByteString.copyFrom(new byte[1]))
                    .setRangeEnd(ByteString.copyFrom(new byte[1]))
                    .build());
    Map<String, String> state = new HashMap<>();
    all.getKvsList()
        .forEach(kv -> state.put(kv.getKey().toStringUtf8(), kv.getValue().toStringUtf8()));
    return state;
  }
}
