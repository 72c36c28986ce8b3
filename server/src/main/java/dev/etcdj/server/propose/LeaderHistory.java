package dev.etcdj.server.propose;

import dev.etcdj.server.raftnode.RaftView;
import java.util.function.LongSupplier;

/// When this member last became leader and since when none is known: what the outcome of a
/// timed-out request depends on (KV-25, KV-26). Written by the raft loop, read by any thread.
public final class LeaderHistory {
  private static final long NEVER = Long.MIN_VALUE;

  private final LongSupplier nanoClock;
  private boolean leading;
  // Both read by the thread that expires requests.
  private volatile long becameLeaderNanos = NEVER;
  private volatile long leaderlessSinceNanos;
  private volatile boolean leaderless = true;

  public LeaderHistory(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.leaderlessSinceNanos = nanoClock.getAsLong();
  }

  /// Raft loop, after each change of leader or role.
  public void changed(RaftView view) {
    if (view.isLeader() && !leading) {
      becameLeaderNanos = nanoClock.getAsLong();
    }
    leading = view.isLeader();
    if (!view.hasLeader() && !leaderless) {
      leaderlessSinceNanos = nanoClock.getAsLong();
    }
    leaderless = !view.hasLeader();
  }

  /// Whether no leader was known from `startNanos` until now.
  boolean leaderlessSince(long startNanos) {
    return leaderless && leaderlessSinceNanos - startNanos <= 0;
  }

  /// Whether `startNanos` lies in the `windowNanos` before this member last became leader.
  boolean startedBeforeElection(long startNanos, long windowNanos) {
    long became = becameLeaderNanos;
    return became != NEVER && startNanos - became < 0 && startNanos - (became - windowNanos) > 0;
  }
}
