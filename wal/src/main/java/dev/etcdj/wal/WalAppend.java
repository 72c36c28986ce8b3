package dev.etcdj.wal;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One unit of work for the log's writer thread: what to write, in the order snapshot, entries,
/// hard state, and whom to tell.
///
/// @param entries contiguous by index; may overwrite a tail that was appended earlier
/// @param mustSync whether `done` may only be called after an fdatasync that covers this append
/// @param done called on the writer's thread, in submission order; must be quick
public record WalAppend(
    @Nullable WalSnapshot snapshot,
    List<Entry> entries,
    @Nullable HardState hardState,
    boolean mustSync,
    Runnable done) {}
