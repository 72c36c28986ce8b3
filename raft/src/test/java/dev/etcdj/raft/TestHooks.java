package dev.etcdj.raft;

import dev.etcdj.raft.confchange.Configuration;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.tracker.ProgressTracker;
import org.jspecify.annotations.Nullable;

/// Opens what only tests may touch to the test packages below this one.
public final class TestHooks {
  private TestHooks() {}

  /// Makes the next election predictable; redrawn when the role changes.
  public static void randomizedElectionTimeout(RawNode node, int ticks) {
    node.raft().timer.randomizedTimeout(ticks);
  }

  public static int randomizedElectionTimeout(RawNode node) {
    return node.raft().timer.randomizedTimeout();
  }

  /// The leader's view of the members, null on others.
  public static @Nullable ProgressTracker tracker(RawNode node) {
    Leadership leadership = node.raft().leadership();
    return leadership == null ? null : leadership.tracker();
  }

  public static HardState hardState(RawNode node) {
    return node.raft().hardState();
  }

  public static Role role(RawNode node) {
    return node.raft().role();
  }

  public static Configuration members(RawNode node) {
    return node.raft().members();
  }
}
