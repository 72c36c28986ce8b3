package dev.etcdj.raft.tracker;

/// How a leader feeds one follower (RAFT-54).
public enum ProgressState {
  /// It is not known where the logs meet: one append at a time.
  PROBE("StateProbe"),
  /// The logs meet: appends are pipelined.
  REPLICATE("StateReplicate"),
  /// A snapshot is under way: no appends.
  SNAPSHOT("StateSnapshot");

  private final String text;

  ProgressState(String text) {
    this.text = text;
  }

  /// Name as operators know it.
  @Override
  public String toString() {
    return text;
  }
}
