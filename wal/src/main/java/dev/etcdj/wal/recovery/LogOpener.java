package dev.etcdj.wal.recovery;

import dev.etcdj.wal.StorageException;
import dev.etcdj.wal.WalConfig;
import dev.etcdj.wal.io.FileStore;
import dev.etcdj.wal.io.StoredFile;
import dev.etcdj.wal.record.RunningCrc;
import dev.etcdj.wal.record.WalRecord;
import dev.etcdj.wal.recovery.SegmentReader.Step;
import dev.etcdj.wal.segment.Segment;
import dev.etcdj.wal.segment.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Opens a log's directory: locks all segments, reads them, and only when all of it is accepted
/// cuts a torn tail and makes the last segment ready for appends.
public final class LogOpener {
  private static final int COPY_BYTES = 1 << 20;

  private final FileStore files;
  private final Path directory;
  private final WalConfig config;
  private final RunningCrc crc = new RunningCrc();
  private final List<Segment> segments = new ArrayList<>();

  private @Nullable WalRecord lastRecord;
  private long lastRecordOffset;
  private int crcBeforeLastRecord;

  private LogOpener(FileStore files, Path directory, WalConfig config) {
    this.files = files;
    this.directory = directory;
    this.config = config;
  }

  /// What was found.
  ///
  /// @param segments all of them, ascending, locked
  /// @param crc the chain up to the last record
  /// @param end offset behind the last record of the last segment; zeros follow
  /// @param repaired whether a torn tail, or a snapshot that was not finished, was cut off
  public record Opened(
      Replay.Outcome outcome, List<Segment> segments, RunningCrc crc, long end, boolean repaired) {}

  /// @param maxIndex snapshot records above it are not used
  /// @throws StorageException when the log is locked, damaged or cannot be read; nothing was
  ///     changed then
  public static Opened open(FileStore files, Path directory, WalConfig config, long maxIndex) {
    LogOpener opener = new LogOpener(files, directory, config);
    try {
      return opener.open(maxIndex);
    } catch (RuntimeException | Error failure) {
      opener.closeAll(failure);
      throw failure;
    }
  }

  private Opened open(long maxIndex) {
    lockAll();
    Replay replay = new Replay(maxIndex, segments.getFirst().name().firstIndex());
    Segment last = segments.getLast();
    long end = 0;
    boolean torn = false;
    for (Segment segment : segments) {
      SegmentReader reader = new SegmentReader(segment.path(), segment.file(), crc);
      Step stop = readAll(segment, reader, replay);
      end = reader.position();
      switch (stop) {
        case Step.Good good -> throw new AssertionError(good);
        case Step.End() -> {}
        case Step.Damaged(String expected, String found) ->
            throw new StorageException(segment.path(), end, expected, found);
        case Step.Torn(String expected, String found) -> {
          if (!segment.equals(last)) {
            throw new StorageException(segment.path(), end, expected, found);
          }
          torn = true;
        }
      }
    }
    Replay.Outcome outcome = replay.finish(last.path(), end);
    if (outcome.snapshotUnfinished() && lastRecord instanceof WalRecord.Marked) {
      // A leader's snapshot whose commit did not reach the disk: nobody was told of it. Were it
      // left, entries of another history could come to stand behind it.
      end = lastRecordOffset;
      crc.startFrom(crcBeforeLastRecord);
      torn = true;
    }
    makeReady(last, end, torn);
    return new Opened(outcome, List.copyOf(segments), crc, end, torn);
  }

  private void lockAll() {
    try {
      long expected = -1;
      for (SegmentName name : SegmentName.among(files.list(directory))) {
        Path path = directory.resolve(name.fileName());
        if (expected >= 0 && name.sequence() != expected) {
          throw new StorageException(
              path, -1, "segment with sequence " + expected, "sequence " + name.sequence());
        }
        expected = name.sequence() + 1;
        StoredFile file = files.open(path, FileStore.Access.WRITE);
        segments.add(new Segment(name, path, file));
        if (!file.tryLock()) {
          throw new StorageException(path, -1, "no other user of the log", "a lock on the file");
        }
      }
    } catch (IOException failure) {
      throw new StorageException(directory, -1, "cannot be opened", failure);
    }
    if (segments.isEmpty()) {
      throw new StorageException(directory, -1, "a log", "no segment");
    }
  }

  /// Feeds all good records to `replay`; gives what stopped the reading. A segment gets its name
  /// only when its head is durable, so the head is never torn.
  private Step readAll(Segment segment, SegmentReader reader, Replay replay) {
    Path path = segment.path();
    int records = 0;
    Step step;
    int crcBefore = crc.value();
    while ((step = reader.next()) instanceof Step.Good(WalRecord record)) {
      long offset = reader.frameStart();
      lastRecord = record;
      lastRecordOffset = offset;
      crcBeforeLastRecord = crcBefore;
      if (records == 0 && !(record instanceof WalRecord.Checksum)) {
        throw new StorageException(path, offset, "a checksum record", record.toString());
      }
      if (records == 1 && !(record instanceof WalRecord.Metadata)) {
        throw new StorageException(path, offset, "a metadata record", record.toString());
      }
      records++;
      switch (record) {
        case WalRecord.Checksum(int value) -> chain(value, path, offset);
        case WalRecord.Metadata(var metadata) -> replay.metadata(metadata, path, offset);
        case WalRecord.Appended(var entry) -> replay.entry(entry, path, offset);
        case WalRecord.State(var state) -> replay.state(state);
        case WalRecord.Marked(var snapshot) -> replay.snapshot(snapshot, path, offset);
      }
      crcBefore = crc.value();
    }
    if (records < 2) {
      throw new StorageException(
          path, reader.position(), "a checksum and a metadata record", describe(step));
    }
    return step;
  }

  private static String describe(Step stop) {
    return switch (stop) {
      case Step.Good(WalRecord record) -> record.toString();
      case Step.End() -> "the end of the segment";
      case Step.Torn(String expected, String found) -> found;
      case Step.Damaged(String expected, String found) -> found;
    };
  }

  /// The oldest segment that is left begins with whatever the chain had come to.
  private void chain(int value, Path path, long offset) {
    boolean oldest = path.equals(segments.getFirst().path()) && offset == 0;
    if (!oldest && crc.value() != value) {
      throw new StorageException(
          path,
          offset,
          "checksum " + Integer.toHexString(crc.value()),
          "checksum " + Integer.toHexString(value));
    }
    crc.startFrom(value);
  }

  /// Cuts the last segment behind its last record and makes everything up to its full size zero
  /// again: the remains of a write that did not finish must not follow a later record.
  private void makeReady(Segment last, long end, boolean torn) {
    StoredFile file = last.file();
    try {
      if (torn) {
        keepAside(last);
      }
      file.truncate(end);
      file.preallocate(config.segmentBytes());
      if (!config.unsafeNoFsync()) {
        file.sync();
      }
      for (String name : files.list(directory)) {
        if (name.endsWith(".tmp")) {
          files.delete(directory.resolve(name));
        }
      }
    } catch (IOException failure) {
      throw new StorageException(last.path(), end, "cannot be made ready for appends", failure);
    }
  }

  private void keepAside(Segment segment) throws IOException {
    Path aside = directory.resolve(segment.name().fileName() + ".broken");
    files.delete(aside);
    try (StoredFile copy = files.open(aside, FileStore.Access.CREATE)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(COPY_BYTES);
      for (long at = 0; segment.file().read(buffer.clear(), at) > 0; ) {
        int bytes = buffer.flip().remaining();
        copy.write(buffer, at);
        at += bytes;
      }
      copy.sync();
    }
    files.syncDirectory(directory);
  }

  private void closeAll(Throwable failure) {
    for (Segment segment : segments) {
      try {
        segment.file().close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
    }
  }
}
