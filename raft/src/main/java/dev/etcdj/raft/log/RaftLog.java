package dev.etcdj.raft.log;

import dev.etcdj.raft.InvariantViolation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The whole log as the state machine sees it: what storage holds and, above it, what is on its
/// way there. Also how far it is committed and applied.
///
/// Invariant: applied ≤ applying ≤ committed ≤ lastIndex.
///
/// Thread: the one that drives the node.
public final class RaftLog {
  /// Stands for the term of an entry that is compacted or does not exist.
  public static final long NO_TERM = -1;

  private final LogReader storage;
  private final UnstableLog unstable;

  /// Encoded bytes of committed entries that may be out for being applied at once.
  private final long maxApplyingBytes;

  /// Highest index known to be committed. Never goes back.
  private long committed;

  /// Highest index the application was told to apply; some entries may still be running.
  private long applying;

  /// Highest index the application has applied.
  private long applied;

  private long applyingBytes;
  private boolean applyingPaused;

  public RaftLog(LogReader storage, long maxApplyingBytes) {
    this.storage = storage;
    this.maxApplyingBytes = maxApplyingBytes;
    this.unstable = new UnstableLog(storage.lastIndex() + 1);
    committed = storage.firstIndex() - 1;
    applying = committed;
    applied = committed;
  }

  public long committed() {
    return committed;
  }

  /// Whether nothing more is handed out for applying until [#appliedTo].
  public boolean awaitsApply() {
    return applyingPaused;
  }

  public long applying() {
    return applying;
  }

  public long applied() {
    return applied;
  }

  /// Index of the first entry that can be read.
  public long firstIndex() {
    Snapshot incoming = unstable.snapshot();
    return incoming == null ? storage.firstIndex() : incoming.index() + 1;
  }

  /// Index of the last entry, durable or not.
  public long lastIndex() {
    return unstable.end() - 1;
  }

  public long lastTerm() {
    return knownTerm(lastIndex());
  }

  /// The term at `index`, [#NO_TERM] when it is compacted or above the last entry.
  public long term(long index) {
    long here = unstable.term(index);
    if (here >= 0) {
      return here;
    }
    if (index < firstIndex() - 1 || index > lastIndex()) {
      return NO_TERM;
    }
    return switch (storage.term(index)) {
      case LogReader.Term known -> known.term();
      case LogReader.Compacted compacted -> NO_TERM;
      case LogReader.Unavailable unavailable -> NO_TERM;
    };
  }

  private long knownTerm(long index) {
    long term = term(index);
    if (term == NO_TERM) {
      throw new InvariantViolation("the term at index " + index + " is lost");
    }
    return term;
  }

  /// Whether the entry at `index` has `term`.
  public boolean matches(long index, long term) {
    return term != NO_TERM && term(index) == term;
  }

  /// Whether a log that ends in (`term`, `index`) is at least as complete as this (thesis §3.6.1).
  public boolean isUpToDate(long term, long index) {
    long own = lastTerm();
    return term > own || (term == own && index >= lastIndex());
  }

  /// Largest index ≤ `index` whose term is known to be ≤ `term`: where a log in which `index` has
  /// `term` can meet this one at best (RAFT-51). The term there is [#NO_TERM] when it is compacted.
  public long lastIndexWithTermUpTo(long index, long term) {
    while (index > 0 && term(index) > term) {
      index--;
    }
    return index;
  }

  /// Entries from `lo` on, at most `maxBytes` of them but at least one; null when compacted.
  public @Nullable List<Entry> entries(long lo, long maxBytes) {
    return slice(lo, lastIndex() + 1, maxBytes);
  }

  /// Entries `lo` ≤ index < `hi`, at most `maxBytes` but at least one; null when compacted.
  public @Nullable List<Entry> slice(long lo, long hi, long maxBytes) {
    if (lo >= hi) {
      return List.of();
    }
    if (lo < firstIndex()) {
      return null;
    }
    long border = unstable.first();
    if (lo >= border) {
      return unstable.slice(lo, hi, maxBytes);
    }
    List<Entry> stored = storage.entries(lo, Math.min(hi, border), maxBytes);
    if (stored == null || hi <= border || lo + stored.size() < border) {
      return stored;
    }
    long rest = maxBytes - encodedSize(stored);
    if (rest < unstable.slice(border, border + 1, 0).getFirst().size()) {
      return stored;
    }
    List<Entry> joined = new ArrayList<>(stored);
    joined.addAll(unstable.slice(border, hi, rest));
    return joined;
  }

  /// Encoded size of `entries` together.
  public static long encodedSize(List<Entry> entries) {
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      bytes += entries.get(i).size();
    }
    return bytes;
  }

  /// Adds an entry of this node's own reign at lastIndex + 1.
  public void append(Entry entry) {
    unstable.append(entry);
  }

  /// Appends what a leader sent after an entry that matches (thesis §3.5, RAFT-50). What is
  /// present already is left alone, because an old append may arrive late.
  ///
  /// @return index of the last entry that is now known to match the leader's log
  public long appendMatching(long prevIndex, List<Entry> entries) {
    int fresh = 0;
    while (fresh < entries.size()
        && matches(entries.get(fresh).index(), entries.get(fresh).term())) {
      fresh++;
    }
    if (fresh < entries.size()) {
      long from = entries.get(fresh).index();
      if (from <= committed) {
        throw new InvariantViolation(
            "entry %d conflicts with committed entries through %d".formatted(from, committed));
      }
      unstable.replaceFrom(entries, fresh);
    }
    return prevIndex + entries.size();
  }

  /// Moves the commit index forward to `index`; an older one changes nothing.
  ///
  /// @throws InvariantViolation when the log does not reach that far: entries were lost (RAFT-62)
  public void commitTo(long index) {
    if (index <= committed) {
      return;
    }
    if (index > lastIndex()) {
      throw new InvariantViolation(
          "commit index %d is above the last index %d: was the log corrupted or lost?"
              .formatted(index, lastIndex()));
    }
    committed = index;
  }

  /// Restart: what was committed and applied before (RAFT-3).
  public void recover(long commit, long appliedBefore) {
    if (commit < committed || commit > lastIndex()) {
      throw new InvariantViolation(
          "stored commit index %d is outside of [%d, %d]"
              .formatted(commit, committed, lastIndex()));
    }
    committed = commit;
    if (appliedBefore > 0) {
      appliedTo(appliedBefore, 0);
    }
  }

  /// Replaces everything by a snapshot that came in.
  public void restore(Snapshot incoming) {
    unstable.restore(incoming);
    committed = incoming.index();
  }

  /// The snapshot that came in and is not durable and applied yet.
  public @Nullable Snapshot unstableSnapshot() {
    return unstable.snapshot();
  }

  /// That snapshot, if storage was not given it yet.
  public @Nullable Snapshot nextSnapshot() {
    return unstable.nextSnapshot();
  }

  /// Whether storage does not hold everything yet, or has not said so.
  public boolean hasUnstableEntries() {
    return unstable.hasEntries();
  }

  public boolean hasNextEntries() {
    return unstable.hasNextEntries();
  }

  /// Entries that storage was not given yet.
  public List<Entry> nextEntries() {
    return unstable.nextEntries();
  }

  /// Storage is given everything that waits.
  public void handOver() {
    unstable.handOver();
  }

  /// Storage holds everything through (`index`, `term`).
  public void stable(long index, long term) {
    unstable.stable(index, term);
  }

  /// Storage holds the snapshot of `index`, and the application runs on it.
  public void stableSnapshot(long index) {
    unstable.stableSnapshot(index);
  }

  /// The newest snapshot there is, null when it is temporarily unavailable.
  public @Nullable Snapshot snapshot() {
    Snapshot incoming = unstable.snapshot();
    return incoming == null ? storage.snapshot() : incoming;
  }

  /// Whether [#nextCommitted] would give anything.
  public boolean hasNextCommitted(boolean allowUnstable) {
    return !applyingPaused && unstable.snapshot() == null && applying < maxAppliable(allowUnstable);
  }

  /// Committed entries to apply next (RAFT-14..16), within the bytes that may be out at once.
  public List<Entry> nextCommitted(boolean allowUnstable) {
    if (!hasNextCommitted(allowUnstable)) {
      return List.of();
    }
    long limit = maxAppliable(allowUnstable);
    List<Entry> next = slice(applying + 1, limit + 1, maxApplyingBytes - applyingBytes);
    if (next == null) {
      throw new InvariantViolation(
          "entry %d is compacted before it was applied".formatted(applying + 1));
    }
    return next;
  }

  private long maxAppliable(boolean allowUnstable) {
    return allowUnstable ? committed : Math.min(committed, unstable.first() - 1);
  }

  /// The application was given `entries`, just returned by [#nextCommitted].
  public void acceptApplying(List<Entry> entries, boolean allowUnstable) {
    applying = entries.getLast().index();
    applyingBytes += encodedSize(entries);
    // Stopped by the size limit: what is left does not fit until something comes back.
    applyingPaused = applyingBytes >= maxApplyingBytes || applying < maxAppliable(allowUnstable);
  }

  /// The application has applied everything through `index`, `bytes` of it since the last call.
  public void appliedTo(long index, long bytes) {
    if (index < applied || index > committed) {
      throw new InvariantViolation(
          "applied index %d is outside of [%d, %d]".formatted(index, applied, committed));
    }
    applied = index;
    applying = Math.max(applying, index);
    applyingBytes = Math.max(0, applyingBytes - bytes);
    applyingPaused = applyingBytes >= maxApplyingBytes;
  }

  /// Stops the member unless the indexes are in order.
  public void checkInvariants() {
    unstable.checkInvariants();
    if (applied > applying || applying > committed || committed > lastIndex()) {
      throw new InvariantViolation(
          "log: applied %d, applying %d, committed %d, last %d"
              .formatted(applied, applying, committed, lastIndex()));
    }
  }
}
