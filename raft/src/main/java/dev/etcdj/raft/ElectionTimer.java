package dev.etcdj.raft;

/// Counts ticks since the leader was last heard or, on a leader, since it last checked its quorum;
/// and ticks since the last heartbeat. The election timeout is uniform in [E, 2E-1] (RAFT-30).
final class ElectionTimer {
  private final RaftConfig config;
  private int electionElapsed;
  private int heartbeatElapsed;
  private int randomizedTimeout;

  ElectionTimer(RaftConfig config) {
    this.config = config;
  }

  /// Starts over with a new random timeout.
  void redraw() {
    electionElapsed = 0;
    heartbeatElapsed = 0;
    randomizedTimeout =
        config.electionTicks() + config.randomInt().applyAsInt(config.electionTicks());
  }

  /// The leader was heard, or a vote given.
  void restart() {
    electionElapsed = 0;
  }

  void tick() {
    electionElapsed++;
  }

  /// Whether a follower has waited long enough; starts over if so.
  boolean electionDue() {
    return isOver(randomizedTimeout);
  }

  /// Whether a leader has to check its quorum; starts over if so.
  boolean quorumCheckDue() {
    return isOver(config.electionTicks());
  }

  private boolean isOver(int ticks) {
    if (electionElapsed < ticks) {
      return false;
    }
    electionElapsed = 0;
    return true;
  }

  /// Counts a tick of a leader.
  ///
  /// @return whether heartbeats are due
  boolean heartbeatTick() {
    if (++heartbeatElapsed < config.heartbeatTicks()) {
      return false;
    }
    heartbeatElapsed = 0;
    return true;
  }

  /// Whether a leader was heard within the shortest election timeout (RAFT-41).
  boolean heardLately() {
    return electionElapsed < config.electionTicks();
  }

  int randomizedTimeout() {
    return randomizedTimeout;
  }

  /// Tests set it to make elections predictable.
  void randomizedTimeout(int ticks) {
    randomizedTimeout = ticks;
  }
}
