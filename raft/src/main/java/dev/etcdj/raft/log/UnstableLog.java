package dev.etcdj.raft.log;

import dev.etcdj.raft.InvariantViolation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The tail of the log that is not known to be durable: entries, and a snapshot that came in
/// before them. A part of it may have been handed to storage already ("in progress").
///
/// Invariants: entries.first ≤ nextIndex ≤ entries.end; with a snapshot, entries.first is above
/// its index. Entries here shadow those of the same index in storage, which may be of a deposed
/// leader.
final class UnstableLog {
  private final EntryBuffer entries;
  private @Nullable Snapshot snapshot;
  private boolean snapshotInProgress;

  /// First index that was not handed to storage yet.
  private long nextIndex;

  UnstableLog(long firstIndex) {
    entries = new EntryBuffer(firstIndex);
    nextIndex = firstIndex;
  }

  /// Index from which on entries stand here and not in storage.
  long first() {
    return entries.first();
  }

  /// Index after the last entry; the first one when there is none.
  long end() {
    return entries.end();
  }

  boolean hasEntries() {
    return !entries.isEmpty();
  }

  boolean hasNextEntries() {
    return nextIndex < entries.end();
  }

  /// Entries that were not handed to storage yet.
  List<Entry> nextEntries() {
    return entries.slice(nextIndex, entries.end());
  }

  /// The snapshot, whether or not it was handed to storage.
  @Nullable Snapshot snapshot() {
    return snapshot;
  }

  /// The snapshot, if it was not handed to storage yet.
  @Nullable Snapshot nextSnapshot() {
    return snapshotInProgress ? null : snapshot;
  }

  /// The term of the entry or snapshot at `index`, -1 when it is not here.
  long term(long index) {
    if (index >= entries.first()) {
      return index < entries.end() ? entries.get(index).term() : -1;
    }
    return snapshot != null && snapshot.index() == index ? snapshot.term() : -1;
  }

  List<Entry> slice(long from, long to, long maxBytes) {
    return entries.slice(from, to, maxBytes);
  }

  /// Everything that waits is handed to storage.
  void handOver() {
    nextIndex = entries.end();
    snapshotInProgress = snapshot != null;
  }

  void append(Entry entry) {
    entries.append(entry);
  }

  /// Puts `added.subList(from, size)` in place of everything from its first index on.
  void replaceFrom(List<Entry> added, int from) {
    long start = added.get(from).index();
    if (start > entries.end()) {
      throw new InvariantViolation(
          "gap in the unstable log: it ends before %d, appended from %d"
              .formatted(entries.end(), start));
    }
    if (start <= entries.first()) {
      entries.reset(start);
    } else {
      entries.truncateFrom(start);
    }
    nextIndex = Math.min(nextIndex, start);
    entries.append(added, from);
  }

  /// Storage holds everything through (`index`, `term`). Nothing happens unless that very entry is
  /// here: after a truncation while the write was in flight the attested entries are others
  /// (RAFT-22).
  void stable(long index, long term) {
    if (index >= entries.first() && term(index) == term) {
      entries.dropBelow(index + 1);
      nextIndex = Math.max(nextIndex, index + 1);
    }
  }

  /// Storage holds the snapshot of `index`.
  void stableSnapshot(long index) {
    if (snapshot != null && snapshot.index() == index) {
      snapshot = null;
      snapshotInProgress = false;
    }
  }

  /// Forgets all entries in favour of `incoming`.
  void restore(Snapshot incoming) {
    entries.reset(incoming.index() + 1);
    nextIndex = incoming.index() + 1;
    snapshot = incoming;
    snapshotInProgress = false;
  }

  void checkInvariants() {
    boolean above = snapshot == null || entries.first() > snapshot.index();
    if (nextIndex < entries.first() || nextIndex > entries.end() || !above) {
      throw new InvariantViolation(
          "unstable log: first %d, next %d, end %d, snapshot %s"
              .formatted(entries.first(), nextIndex, entries.end(), snapshot));
    }
  }
}
