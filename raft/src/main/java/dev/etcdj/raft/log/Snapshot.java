package dev.etcdj.raft.log;

/// State machine contents as of `index`: `data` is opaque to raft and may be empty when the
/// application moves the contents by itself.
public record Snapshot(long index, long term, ConfState confState, Bytes data) {
  /// No snapshot.
  public static final Snapshot EMPTY = new Snapshot(0, 0, ConfState.EMPTY, Bytes.EMPTY);

  /// Whether this stands for no snapshot.
  public boolean isEmpty() {
    return index == 0;
  }
}
