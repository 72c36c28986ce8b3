package dev.etcdj.wal;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import java.util.List;

/// What a log held when it was opened, and the log itself, ready for appends.
///
/// @param snapshot where reading began
/// @param entries all entries above `snapshot.index()`, contiguous
/// @param repaired whether a torn tail was cut off
public record WalRecovery(
    Wal wal,
    WalMetadata metadata,
    WalSnapshot snapshot,
    HardState hardState,
    List<Entry> entries,
    boolean repaired) {}
