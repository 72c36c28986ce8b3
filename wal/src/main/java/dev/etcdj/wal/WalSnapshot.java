package dev.etcdj.wal;

import dev.etcdj.raft.log.ConfState;

/// Marks in the log that the state up to `index` is durable elsewhere.
public record WalSnapshot(long index, long term, ConfState confState) {
  /// Where a fresh log begins.
  public static final WalSnapshot NONE = new WalSnapshot(0, 0, ConfState.EMPTY);
}
