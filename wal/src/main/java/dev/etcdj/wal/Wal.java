package dev.etcdj.wal;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.io.FileStore;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The log of one member. Single-threaded: after opening it belongs to the writer's thread.
public final class Wal implements AutoCloseable {

  /// Whether `dir` holds a log.
  public static boolean exists(FileStore files, Path dir) {
    throw new UnsupportedOperationException("wal");
  }

  /// Makes a new log: built beside, renamed into place, durable on return.
  public static Wal create(FileStore files, Path dir, WalMetadata metadata, WalConfig config) {
    throw new UnsupportedOperationException("wal");
  }

  /// Opens the log for reading from the newest snapshot record whose index is at most `maxIndex`
  /// and at most the logged commit, then for appending. Cuts a torn tail of the last segment.
  ///
  /// @throws StorageException on any other damage, or when the log is locked
  public static WalRecovery open(FileStore files, Path dir, WalConfig config, long maxIndex) {
    throw new UnsupportedOperationException("wal");
  }

  /// Buffers records in the order snapshot, entries, hard state; nothing is promised until
  /// [#sync].
  public void append(
      @Nullable WalSnapshot snapshot, List<Entry> entries, @Nullable HardState hardState) {
    throw new UnsupportedOperationException("wal");
  }

  /// Writes what is buffered and, unless configured away, fdatasyncs; cuts when due.
  ///
  /// @throws StorageException and the log accepts nothing further
  public void sync() {
    throw new UnsupportedOperationException("wal");
  }

  /// Lets go of segments that hold only entries up to `index`; keeps the newest such one.
  public void releaseTo(long index) {
    throw new UnsupportedOperationException("wal");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("wal");
  }
}
