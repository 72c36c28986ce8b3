package dev.etcdj.server.durable;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.wal.Wal;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalRecovery;
import dev.etcdj.wal.WalSnapshot;

/// The log as raft continues it.
///
/// @param applied index up to which the store already holds the effects
/// @param snapshotIndex index of the newest snapshot mark in the log
/// @param empty nothing was ever logged, so a new cluster is still to be bootstrapped
public record MemberLog(
    Wal wal,
    WalMetadata metadata,
    MemoryLog memory,
    long applied,
    long snapshotIndex,
    boolean empty) {

  /// A log that was just made.
  public static MemberLog fresh(Wal wal, WalMetadata metadata) {
    return new MemberLog(wal, metadata, new MemoryLog(), 0, 0, true);
  }

  /// Joins what the log and the store recovered.
  ///
  /// The store may be ahead of the commit index that the log last wrote, because a bare commit is
  /// not synced; what it applied was committed all the same.
  ///
  /// @param consistentIndex last index whose effects the store holds
  /// @param confState the configuration that the store's member records describe (RAFT-126)
  /// @throws StartException when log and store do not belong together
  public static MemberLog recovered(WalRecovery recovery, long consistentIndex, ConfState confState)
      throws StartException {
    WalSnapshot mark = recovery.snapshot();
    if (consistentIndex < mark.index()) {
      throw new StartException(
          "failed to find database snapshot file: the log begins behind index %d, the store ends at %d"
              .formatted(mark.index(), consistentIndex));
    }
    MemoryLog memory = new MemoryLog();
    if (mark.index() > 0) {
      memory.applySnapshot(new Snapshot(mark.index(), mark.term(), mark.confState(), Bytes.EMPTY));
    }
    memory.append(recovery.entries());
    if (consistentIndex > memory.lastIndex()) {
      throw new StartException(
          "the store holds the effects of index %d, the log ends at %d: entries were lost"
              .formatted(consistentIndex, memory.lastIndex()));
    }
    if (consistentIndex > 0) {
      memory.setConfState(confState);
    }
    HardState hard = recovery.hardState();
    memory.setHardState(
        new HardState(hard.term(), hard.vote(), Math.max(hard.commit(), consistentIndex)));
    boolean empty = hard.isEmpty() && memory.lastIndex() == 0;
    return new MemberLog(
        recovery.wal(), recovery.metadata(), memory, consistentIndex, mark.index(), empty);
  }
}
