package dev.etcdj.raft.log;

/// What must be durable before a message that depends on it leaves (RAFT-13). `vote` 0 is none.
public record HardState(long term, long vote, long commit) {
  /// The state of a log that never existed.
  public static final HardState EMPTY = new HardState(0, 0, 0);

  /// Whether nothing was ever recorded.
  public boolean isEmpty() {
    return term == 0 && vote == 0 && commit == 0;
  }
}
