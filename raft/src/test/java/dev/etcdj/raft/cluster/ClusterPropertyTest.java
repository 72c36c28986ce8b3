package dev.etcdj.raft.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/// Guarantee: election safety, log matching, leader completeness, state machine safety, durability
/// before acknowledgement, linearizable reads, and progress once trouble ends.
///
/// Method: whole clusters on one thread; a seeded network that loses, doubles and reorders, nodes
/// that crash and forget what was not synced, snapshots, transfers and changes of members. A
/// spectator checks after every step. Source: thesis figure 3.2, §6.4; RAFT-13.
///
/// Replay with `-Dseed=`; more with `-Dseeds=` (how many).
class ClusterPropertyTest {
  private static final int STEPS = 6_000;
  private static final int RECOVERY_STEPS = 60_000;

  @Test
  void guaranteesHoldInEveryRun() {
    Long only = Long.getLong("seed");
    if (only != null) {
      run(only);
      return;
    }
    int seeds = Integer.getInteger("seeds", 40);
    int leaders = 0;
    int reads = 0;
    long applied = 0;
    for (long seed = 1; seed <= seeds; seed++) {
      SimCluster cluster = run(seed);
      leaders += cluster.truth.leadersSeen();
      reads += cluster.readsAnswered();
      applied += cluster.truth.highestApplied();
    }
    System.out.printf("%d leaders, %d reads, %d entries%n", leaders, reads, applied);
    // The runs must have been worth something.
    assertTrue(leaders > 5 * seeds, "leaders: " + leaders);
    assertTrue(reads > 5 * seeds, "reads: " + reads);
    assertTrue(applied > 50L * seeds, "applied: " + applied);
  }

  private static SimCluster run(long seed) {
    SimCluster cluster = new SimCluster(seed);
    try {
      for (int i = 0; i < STEPS; i++) {
        cluster.step();
      }
      assertTrue(cluster.recovers(RECOVERY_STEPS), "no progress");
    } catch (RuntimeException | Error failure) {
      throw new AssertionError("replay with -Dseed=" + seed + "\n" + cluster, failure);
    }
    return cluster;
  }
}
