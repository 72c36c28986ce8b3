package dev.etcdj.wal;

import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.io.FileStore;
import dev.etcdj.wal.io.StoredFile;
import dev.etcdj.wal.record.RecordEncoder;
import dev.etcdj.wal.record.RunningCrc;
import dev.etcdj.wal.recovery.LogOpener;
import dev.etcdj.wal.segment.Segment;
import dev.etcdj.wal.segment.SegmentName;
import dev.etcdj.wal.segment.SegmentPreparer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The log of one member. Single-threaded: after opening it belongs to the writer's thread.
///
/// After a failed or short write or a failed fdatasync every further call throws: nothing is known
/// about the file's contents then, so nothing is ever retried.
public final class Wal implements AutoCloseable {
  /// Most bytes buffered before they are handed to the operating system.
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileStore files;
  private final Path directory;
  private final WalConfig config;
  private final WalMetadata metadata;
  private final RecordEncoder encoder;
  private final SegmentPreparer preparer;

  /// Ascending by sequence; the last one is written to. Never empty.
  private final ArrayDeque<Segment> segments;

  /// Offset in the last segment at which the encoder's pending bytes go.
  private long position;

  private HardState state;

  /// Index of the last entry written, or of a newer snapshot.
  /// Invariant: state.commit ≤ lastIndex.
  private long lastIndex;

  /// Index of the newest snapshot record that is durable; nothing above it is ever released.
  private long durableSnapshotIndex;

  private long writtenSnapshotIndex;
  private WalWriter.WalMetrics metrics = WalMetricsNone.INSTANCE;
  private @Nullable Throwable broken;
  private boolean closed;

  private Wal(
      FileStore files,
      Path directory,
      WalConfig config,
      WalMetadata metadata,
      List<Segment> segments,
      RunningCrc crc) {
    this.files = files;
    this.directory = directory;
    this.config = config;
    this.metadata = metadata;
    this.segments = new ArrayDeque<>(segments);
    this.encoder = new RecordEncoder(crc);
    this.preparer = new SegmentPreparer(files, directory, config.segmentBytes());
    this.state = HardState.EMPTY;
  }

  /// Whether `dir` holds a log.
  public static boolean exists(FileStore files, Path dir) {
    try {
      return !SegmentName.among(files.list(dir)).isEmpty();
    } catch (IOException failure) {
      throw new StorageException(dir, -1, "cannot be listed", failure);
    }
  }

  /// Makes a new log: built beside, renamed into place, durable on return.
  ///
  /// @throws StorageException when there is a log already, or the disk fails
  public static Wal create(FileStore files, Path dir, WalMetadata metadata, WalConfig config) {
    if (exists(files, dir)) {
      throw new StorageException(dir, -1, "no log", "a log");
    }
    Path beside = dir.resolveSibling(dir.getFileName() + ".tmp");
    SegmentName name = new SegmentName(0, 0);
    try {
      deleteWithFiles(files, beside);
      deleteWithFiles(files, dir);
      createDurably(files, beside.toAbsolutePath());
      StoredFile file = files.open(beside.resolve(name.fileName()), FileStore.Access.CREATE);
      try {
        return fill(files, dir, beside, metadata, config, file);
      } catch (Throwable failure) {
        file.close();
        throw failure;
      }
    } catch (IOException failure) {
      throw new StorageException(dir, -1, "cannot be made", failure);
    }
  }

  private static Wal fill(
      FileStore files,
      Path dir,
      Path beside,
      WalMetadata metadata,
      WalConfig config,
      StoredFile file)
      throws IOException {
    if (!file.tryLock()) {
      throw new StorageException(beside, -1, "no other user of the log", "a lock on the file");
    }
    file.preallocate(config.segmentBytes());
    SegmentName name = new SegmentName(0, 0);
    Segment first = new Segment(name, dir.resolve(name.fileName()), file);
    Wal wal = new Wal(files, dir, config, metadata, List.of(first), new RunningCrc());
    wal.encoder.checksum();
    wal.encoder.metadata(metadata);
    wal.encoder.snapshot(WalSnapshot.NONE);
    wal.write();
    wal.syncTail();
    wal.syncNames(beside);
    files.rename(beside, dir);
    wal.syncNames(above(dir.toAbsolutePath()));
    return wal;
  }

  private static void createDurably(FileStore files, Path directory) throws IOException {
    Path present = directory;
    while (!files.exists(present)) {
      present = above(present);
    }
    files.createDirectories(directory);
    for (Path made = directory; !made.equals(present); made = above(made)) {
      files.syncDirectory(above(made));
    }
  }

  private static Path above(Path path) {
    return path.resolveSibling(".").normalize();
  }

  /// Leftovers of an earlier attempt; a directory in which anything else lies is not emptied.
  private static void deleteWithFiles(FileStore files, Path directory) throws IOException {
    for (String name : files.list(directory)) {
      if (SegmentName.parse(name) != null || name.endsWith(".tmp")) {
        files.delete(directory.resolve(name));
      }
    }
    files.delete(directory);
  }

  /// Opens the log for reading from the newest snapshot record whose index is at most `maxIndex`
  /// and at most the logged commit, then for appending. Cuts a torn tail of the last segment.
  ///
  /// @throws StorageException on any other damage, or when the log is locked
  public static WalRecovery open(FileStore files, Path dir, WalConfig config, long maxIndex) {
    var opened = LogOpener.open(files, dir, config, maxIndex);
    var found = opened.outcome();
    Wal wal = new Wal(files, dir, config, found.metadata(), opened.segments(), opened.crc());
    wal.position = opened.end();
    wal.state = found.hardState();
    wal.lastIndex = found.lastIndex();
    wal.writtenSnapshotIndex = wal.durableSnapshotIndex = found.snapshot().index();
    return new WalRecovery(
        wal,
        found.metadata(),
        found.snapshot(),
        found.hardState(),
        found.entries(),
        opened.repaired());
  }

  /// The agent that keeps the next segment ready; the log works without anybody running it.
  public SegmentPreparer preparer() {
    return preparer;
  }

  /// Buffers records in the order snapshot, entries, hard state; nothing is promised until
  /// [#sync].
  ///
  /// @throws InvariantViolation when the records cannot follow what was written before
  public void append(
      @Nullable WalSnapshot snapshot, List<Entry> entries, @Nullable HardState hardState) {
    checkUsable();
    if (snapshot != null) {
      appendSnapshot(snapshot, entries.isEmpty() ? null : hardState);
    }
    if (!entries.isEmpty()) {
      appendEntries(entries);
    }
    if (hardState != null && !hardState.isEmpty()) {
      appendState(hardState);
    }
  }

  /// A snapshot that the logged commit has not reached does not count, so entries that follow it
  /// must not become durable before the commit that makes it count.
  private void appendSnapshot(WalSnapshot snapshot, @Nullable HardState toPrecedeEntries) {
    encoder.snapshot(snapshot);
    lastIndex = Math.max(lastIndex, snapshot.index());
    writtenSnapshotIndex = Math.max(writtenSnapshotIndex, snapshot.index());
    if (toPrecedeEntries != null && snapshot.index() > state.commit()) {
      appendState(
          new HardState(toPrecedeEntries.term(), toPrecedeEntries.vote(), snapshot.index()));
    }
    writeWhenFull();
  }

  private void appendEntries(List<Entry> entries) {
    long expected = entries.getFirst().index();
    require(expected > 0 && expected <= lastIndex + 1, "entry " + expected + " after " + lastIndex);
    long term = 0;
    for (Entry entry : entries) {
      if (entry.index() != expected || entry.term() < term) {
        throw new InvariantViolation(
            "entry "
                + entry.index()
                + " of term "
                + entry.term()
                + " where index "
                + expected
                + " of term "
                + term
                + " or later belongs");
      }
      encoder.entry(entry);
      writeWhenFull();
      expected++;
      term = entry.term();
    }
    lastIndex = expected - 1;
  }

  private void appendState(HardState next) {
    boolean forward =
        next.term() > state.term()
            || (next.term() == state.term() && (state.vote() == 0 || next.vote() == state.vote()));
    require(
        forward && next.commit() >= state.commit() && next.commit() <= lastIndex,
        next + " after " + state + " and entry " + lastIndex);
    encoder.state(next);
    state = next;
  }

  /// Writes what is buffered and, unless configured away, fdatasyncs; cuts when due.
  ///
  /// @throws StorageException and the log accepts nothing further
  public void sync() {
    makeDurable();
    cutWhenDue();
  }

  /// [#sync] without the cut, so that whoever waits need not wait for it.
  void makeDurable() {
    checkUsable();
    write();
    syncTail();
    durableSnapshotIndex = writtenSnapshotIndex;
  }

  void cutWhenDue() {
    if (position + encoder.pendingBytes() >= config.segmentBytes()) {
      checkUsable();
      cut();
    }
  }

  /// Accepts nothing further, and closing writes nothing.
  void giveUp(Throwable cause) {
    if (broken == null) {
      broken = cause;
    }
  }

  void report(WalWriter.WalMetrics to) {
    metrics = to;
  }

  private void writeWhenFull() {
    if (encoder.pendingBytes() >= BUFFER_BYTES) {
      write();
    }
  }

  private void write() {
    ByteBuffer pending = encoder.pending();
    int bytes = pending.remaining();
    if (bytes == 0) {
      return;
    }
    try {
      tail().file().write(pending, position);
    } catch (IOException failure) {
      throw breakWith("cannot be written", failure);
    }
    position += bytes;
    encoder.drained();
    metrics.wrote(bytes);
  }

  private void syncTail() {
    if (config.unsafeNoFsync()) {
      return;
    }
    try {
      metrics.fsynced(tail().file().sync());
    } catch (IOException failure) {
      throw breakWith("cannot be synced", failure);
    }
  }

  /// Closes the last segment at its length and goes on in the next one, which gets its name only
  /// when its head is durable: at any crash the last segment is complete up to its head.
  private void cut() {
    write();
    try {
      tail().file().truncate(position);
      syncTail();
      SegmentPreparer.Prepared next = preparer.take();
      SegmentName name = new SegmentName(tail().name().sequence() + 1, lastIndex + 1);
      Path path = directory.resolve(name.fileName());
      segments.addLast(new Segment(name, path, next.file()));
      position = 0;
      encoder.checksum();
      encoder.metadata(metadata);
      if (!state.isEmpty()) {
        encoder.state(state);
      }
      write();
      syncTail();
      files.rename(next.path(), path);
      syncNames(directory);
    } catch (IOException failure) {
      throw breakWith("cannot be followed by another segment", failure);
    }
  }

  private void syncNames(Path of) throws IOException {
    if (!config.unsafeNoFsync()) {
      files.syncDirectory(of);
    }
  }

  /// Lets go of segments that hold only entries up to `index`; keeps the newest such one, and as
  /// many of the older ones as [WalConfig#maxSegments] allows. What a restart would begin with is
  /// never let go of: an index above the newest durable snapshot record counts as that.
  public void releaseTo(long index) {
    checkUsable();
    long bound = Math.min(index, durableSnapshotIndex);
    long neededFrom = segments.getFirst().name().sequence();
    for (Segment segment : segments) {
      if (segment.name().firstIndex() < bound) {
        neededFrom = segment.name().sequence();
      }
    }
    while (config.maxSegments() > 0
        && segments.size() > config.maxSegments()
        && segments.getFirst().name().sequence() < neededFrom) {
      delete(segments.removeFirst());
    }
  }

  /// One at a time and durably, because a crash must not leave a gap in the sequence.
  private void delete(Segment released) {
    try {
      released.file().close();
      files.delete(released.path());
      syncNames(directory);
    } catch (IOException failure) {
      throw new StorageException(released.path(), -1, "cannot be deleted", failure);
    }
  }

  /// Makes durable what is buffered and lets go of the files and their locks.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    try {
      if (broken == null) {
        makeDurable();
      }
    } finally {
      closed = true;
      closeFiles();
    }
  }

  private void closeFiles() {
    IOException first = null;
    try {
      preparer.close();
    } catch (IOException failure) {
      first = failure;
    }
    for (Segment segment : segments) {
      try {
        segment.file().close();
      } catch (IOException failure) {
        first = failure;
      }
    }
    if (first != null && broken == null) {
      throw new StorageException(directory, -1, "cannot be closed", first);
    }
  }

  private Segment tail() {
    return segments.getLast();
  }

  private void checkUsable() {
    if (closed || broken != null) {
      throw new StorageException(directory, -1, closed ? "is closed" : "has failed before", broken);
    }
  }

  private StorageException breakWith(String what, IOException failure) {
    StorageException thrown = new StorageException(tail().path(), position, what, failure);
    broken = thrown;
    return thrown;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new InvariantViolation(otherwise);
    }
  }
}
