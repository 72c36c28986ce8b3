package dev.etcdj.wal.recovery;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.StorageException;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalSnapshot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the records read so far add up to, in one pass: as soon as the logged commit has reached a
/// snapshot record, everything up to its index is dropped, so no more than the entries behind the
/// newest usable snapshot stay in memory.
public final class Replay {

  /// Entries without gaps, by index. `base` is what they follow, null while no snapshot is usable.
  private static final class Run {
    final @Nullable WalSnapshot base;
    final ArrayList<Entry> entries;

    Run(@Nullable WalSnapshot base, List<Entry> entries) {
      this.base = base;
      this.entries = new ArrayList<>(entries);
    }

    /// Index of the first entry, or where it would have to be; 0 when anything may come first.
    long first() {
      if (!entries.isEmpty()) {
        return entries.getFirst().index();
      }
      return base == null ? 0 : base.index() + 1;
    }

    long last() {
      return entries.isEmpty() ? first() - 1 : entries.getLast().index();
    }

    @Nullable Entry at(long index) {
      return !entries.isEmpty() && index >= first() && index <= last()
          ? entries.get((int) (index - first()))
          : null;
    }

    /// Replaces everything from the entry's index on; false when that would leave a gap.
    boolean put(Entry entry) {
      if (entries.isEmpty()
          ? base != null && entry.index() > first()
          : entry.index() > last() + 1) {
        return false;
      }
      if (base == null || entry.index() > base.index()) {
        int kept = entries.isEmpty() ? 0 : (int) Math.max(0, entry.index() - first());
        entries.subList(kept, entries.size()).clear();
        entries.add(entry);
      }
      return true;
    }
  }

  private final long maxIndex;
  private final long beginsAt;

  private @Nullable WalMetadata metadata;
  private HardState hardState = HardState.EMPTY;
  private Run log = new Run(null, List.of());

  /// What the log will be once the commit reaches a snapshot that does not continue it.
  private @Nullable Run ahead;

  /// Snapshots within the log that the commit has not reached yet.
  private final List<WalSnapshot> marks = new ArrayList<>();

  private Path aheadFile = Path.of("");
  private long aheadOffset;

  /// @param maxIndex snapshots above it are not used
  /// @param beginsAt index in the name of the oldest segment: what lies before it may be gone
  Replay(long maxIndex, long beginsAt) {
    this.maxIndex = maxIndex;
    this.beginsAt = beginsAt;
  }

  void metadata(WalMetadata read, Path file, long offset) {
    if (metadata != null && !metadata.equals(read)) {
      throw new StorageException(file, offset, metadata.toString(), read.toString());
    }
    metadata = read;
  }

  void entry(Entry entry, Path file, long offset) {
    Run following = ahead;
    if (following != null && entry.index() >= following.first()) {
      if (!following.put(entry)) {
        throw gap(following, entry, file, offset);
      }
      if (following.entries.size() == 1) {
        aheadFile = file;
        aheadOffset = offset;
      }
      return;
    }
    ahead = null;
    if (log.entries.isEmpty() && isBehindTheBeginning(log.base) && entry.index() == beginsAt) {
      log = new Run(null, List.of());
    }
    if (!log.put(entry)) {
      throw gap(log, entry, file, offset);
    }
  }

  void state(HardState read) {
    hardState = read;
    Run following = ahead;
    if (following != null && following.base != null && usable(following.base)) {
      log = following;
      ahead = null;
    }
    for (WalSnapshot mark : marks) {
      if (usable(mark)) {
        startFrom(mark);
      }
    }
    marks.removeIf(mark -> mark.index() <= read.commit());
  }

  void snapshot(WalSnapshot read, Path file, long offset) {
    Entry same = log.at(read.index());
    boolean within = same != null && same.term() == read.term();
    if (same != null && !within && read.index() <= hardState.commit()) {
      String expected = "a snapshot of term " + same.term() + " at committed entry " + read.index();
      throw new StorageException(file, offset, expected, "one of term " + read.term());
    }
    if (usable(read)) {
      startFrom(read);
    } else if (within) {
      marks.add(read);
    } else {
      ahead = new Run(read, List.of());
    }
  }

  private boolean usable(WalSnapshot snapshot) {
    return snapshot.index() <= hardState.commit() && snapshot.index() <= maxIndex;
  }

  /// A mark is written some time after its index was reached. So the oldest segment that is left
  /// may hold one whose following entries went with the segments before; a newer one let them go.
  private boolean isBehindTheBeginning(@Nullable WalSnapshot mark) {
    return mark != null && mark.index() + 1 < beginsAt;
  }

  /// Entries behind the snapshot stay only where they are known to follow it.
  private void startFrom(WalSnapshot snapshot) {
    if (log.base == null
        && !log.entries.isEmpty()
        && isBehindTheBeginning(snapshot)
        && snapshot.index() + 1 < log.first()) {
      return;
    }
    if (log.base != null && snapshot.index() < log.base.index()) {
      return;
    }
    Entry same = log.at(snapshot.index());
    boolean follows =
        same != null ? same.term() == snapshot.term() : log.first() == snapshot.index() + 1;
    int dropped = (int) (snapshot.index() + 1 - log.first());
    List<Entry> kept =
        follows && !log.entries.isEmpty()
            ? log.entries.subList(Math.min(dropped, log.entries.size()), log.entries.size())
            : List.of();
    log = new Run(snapshot, kept);
  }

  /// @param file the last segment, and `end` the offset behind its last record
  Outcome finish(Path file, long end) {
    WalSnapshot base = log.base;
    if (metadata == null) {
      throw new StorageException(file, end, "a metadata record", "none");
    }
    if (base == null) {
      String expected =
          "a snapshot record at or below index " + Math.min(maxIndex, hardState.commit());
      throw new StorageException(file, end, expected, "none");
    }
    if (log.first() != base.index() + 1) {
      throw new StorageException(file, end, "entry " + (base.index() + 1), "entry " + log.first());
    }
    if (ahead != null && !ahead.entries.isEmpty()) {
      String found = "entry " + ahead.first() + " behind a snapshot that is not committed";
      throw new StorageException(aheadFile, aheadOffset, "entry " + (log.last() + 1), found);
    }
    if (hardState.commit() > log.last()) {
      String found = "last entry " + log.last();
      throw new StorageException(file, end, "entries up to commit " + hardState.commit(), found);
    }
    return new Outcome(
        metadata, base, hardState, List.copyOf(log.entries), log.last(), ahead != null);
  }

  /// @param lastIndex of the last entry, or of the snapshot
  /// @param snapshotUnfinished whether a snapshot record was read that the commit has not reached
  ///     and the log does not hold
  public record Outcome(
      WalMetadata metadata,
      WalSnapshot snapshot,
      HardState hardState,
      List<Entry> entries,
      long lastIndex,
      boolean snapshotUnfinished) {}

  private static StorageException gap(Run run, Entry entry, Path file, long offset) {
    return new StorageException(
        file, offset, "entry " + (run.last() + 1) + " or lower", "entry " + entry.index());
  }
}
