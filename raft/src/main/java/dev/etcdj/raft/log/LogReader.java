package dev.etcdj.raft.log;

import java.util.List;

/// The durable part of the log as raft reads it (RAFT-5). Thread: the one that drives the node.
public interface LogReader {
  /// What a restart begins with.
  record InitialState(HardState hardState, ConfState confState) {}

  /// Expected outcomes of a read that cannot be served.
  sealed interface Terms permits Term, Compacted, Unavailable {}

  /// The term asked for.
  record Term(long term) implements Terms {}

  /// The index lies below what the log still holds.
  record Compacted() implements Terms {}

  /// The index lies above the last entry.
  record Unavailable() implements Terms {}

  /// Hard state and configuration of the last stop.
  InitialState initialState();

  /// Entries `lo` ≤ index < `hi`, cut after `maxBytes` but at least one; null when compacted.
  @org.jspecify.annotations.Nullable
  List<Entry> entries(long lo, long hi, long maxBytes);

  /// The term of the entry at `index`, answerable for firstIndex-1 ≤ index ≤ lastIndex.
  Terms term(long index);

  /// Index of the first entry that is held.
  long firstIndex();

  /// Index of the last entry that is held, firstIndex-1 when there is none.
  long lastIndex();

  /// The newest snapshot, or null when it is temporarily unavailable.
  @org.jspecify.annotations.Nullable
  Snapshot snapshot();
}
