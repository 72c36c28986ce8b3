package dev.etcdj.wal;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One unit of work for the log's writer thread: what to write, in the order snapshot, entries,
/// hard state, and whom to tell.
///
/// @param entries contiguous by index; may overwrite a tail that was appended earlier
/// @param promise what `done` stands for
/// @param done called on the writer's thread, in submission order; must be quick
public record WalAppend(
    @Nullable WalSnapshot snapshot,
    List<Entry> entries,
    @Nullable HardState hardState,
    Promise promise,
    Runnable done) {
  /// What may be relied on once `done` was called.
  public enum Promise {
    /// Nothing; the append may wait for others to be written with.
    NONE,

    /// That everything appended before is as durable as it was to be.
    ORDERED,

    /// That too, and that this append is durable.
    DURABLE
  }
}
