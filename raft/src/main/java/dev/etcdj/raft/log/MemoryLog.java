package dev.etcdj.raft.log;

import dev.etcdj.raft.InvariantViolation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The durable part of the log, held in memory so that raft never waits for a disk (RAFT-5,
/// RAFT-6). Nothing here makes anything durable: the owner writes a batch to its write-ahead log
/// first and then repeats it here.
///
/// With asynchronous storage writes the owner's order, for each [StorageAppend] that was made
/// durable, is: [#applySnapshot], [#setHardState], [#append], and only then step the responses
/// addressed to the node itself. Raft drops its own copy of the entries as soon as it steps the
/// [StorageAppendResponse] and reads them from here from then on.
///
/// Invariants: entries are contiguous, `firstIndex` = compacted index + 1; the term at the
/// compacted index stays known.
///
/// Thread: the one that drives the node (raft-loop).
///
/// [StorageAppend]: dev.etcdj.raft.message.Message.StorageAppend
/// [StorageAppendResponse]: dev.etcdj.raft.message.Message.StorageAppendResponse
public final class MemoryLog implements LogReader {
  /// How a request to shorten or replace the log ended.
  public enum Change {
    DONE,
    /// The index lies at or below what was compacted already.
    COMPACTED,
    /// The snapshot is not newer than the present one.
    OUT_OF_DATE
  }

  private final EntryBuffer entries = new EntryBuffer(1);
  private long compactedTerm;
  private HardState hardState = HardState.EMPTY;
  private Snapshot snapshot = Snapshot.EMPTY;
  private @Nullable ConfState startConfState;

  /// An empty log of a node that was never started.
  public MemoryLog() {}

  @Override
  public InitialState initialState() {
    return new InitialState(
        hardState, startConfState == null ? snapshot.confState() : startConfState);
  }

  @Override
  public @Nullable List<Entry> entries(long lo, long hi, long maxBytes) {
    if (lo < entries.first()) {
      return null;
    }
    if (hi > entries.end()) {
      throw new InvariantViolation(
          "entries up to %d asked for, the log ends at %d".formatted(hi, lastIndex()));
    }
    return entries.slice(lo, hi, maxBytes);
  }

  @Override
  public Terms term(long index) {
    if (index < entries.first()) {
      return index == entries.first() - 1 ? new Term(compactedTerm) : new Compacted();
    }
    return index < entries.end() ? new Term(entries.get(index).term()) : new Unavailable();
  }

  @Override
  public long firstIndex() {
    return entries.first();
  }

  @Override
  public long lastIndex() {
    return entries.end() - 1;
  }

  @Override
  public Snapshot snapshot() {
    return snapshot;
  }

  /// The hard state last set.
  public HardState hardState() {
    return hardState;
  }

  /// Replaces the hard state.
  public void setHardState(HardState state) {
    hardState = state;
  }

  /// Sets the configuration that a node starts with, where the application knows a newer one than
  /// the snapshot's: that of the applied index it starts with.
  public void setConfState(ConfState confState) {
    startConfState = confState;
  }

  /// Appends `added`, contiguous by index, in place of everything from its first index on. Entries
  /// that are compacted here are passed over.
  ///
  /// @throws InvariantViolation when it would leave a gap
  public void append(List<Entry> added) {
    if (added.isEmpty() || added.getLast().index() < entries.first()) {
      return;
    }
    long from = added.getFirst().index();
    if (from > entries.end()) {
      throw new InvariantViolation(
          "gap in the log: it ends at %d, appended from %d".formatted(lastIndex(), from));
    }
    int skipped = (int) Math.max(0, entries.first() - from);
    entries.truncateFrom(from + skipped);
    entries.append(added, skipped);
  }

  /// Replaces everything by `replacement`.
  public Change applySnapshot(Snapshot replacement) {
    if (replacement.index() <= snapshot.index()) {
      return Change.OUT_OF_DATE;
    }
    snapshot = replacement;
    compactedTerm = replacement.term();
    entries.reset(replacement.index() + 1);
    return Change.DONE;
  }

  /// Makes the snapshot that lagging members are sent, of the state as of `index`.
  ///
  /// @param index within the log
  /// @param confState the configuration in force at `index`
  public Change createSnapshot(long index, ConfState confState, Bytes data) {
    if (index <= snapshot.index()) {
      return Change.OUT_OF_DATE;
    }
    long term =
        switch (term(index)) {
          case Term known -> known.term();
          case Compacted ignored -> -1;
          case Unavailable ignored ->
              throw new InvariantViolation(
                  "snapshot at %d, the log ends at %d".formatted(index, lastIndex()));
        };
    if (term < 0) {
      return Change.COMPACTED;
    }
    snapshot = new Snapshot(index, term, confState, data);
    return Change.DONE;
  }

  /// Drops entries up to and including `index`; its term stays known. Not above the newest
  /// snapshot, or a lagging member could not be caught up: the caller sees to that.
  ///
  /// @throws InvariantViolation when `index` lies above the last entry
  public Change compact(long index) {
    if (index < entries.first()) {
      return Change.COMPACTED;
    }
    if (index > lastIndex()) {
      throw new InvariantViolation(
          "compaction to %d, the log ends at %d".formatted(index, lastIndex()));
    }
    compactedTerm = entries.get(index).term();
    entries.dropBelow(index + 1);
    return Change.DONE;
  }
}
