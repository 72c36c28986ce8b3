package dev.etcdj.server.durable;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.bbolt.BboltReader;
import dev.etcdj.mvcc.schema.Meta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Snapshots that leaders sent: `<index>.snap.db`, bbolt files.
///
/// One is received and made durable before its message reaches raft; when raft has logged it, the
/// store takes its contents over ([#install]), and the file goes. A crash in between is made good
/// at the next start ([#finishInstall]).
public final class SnapshotFiles {
  private static final String SUFFIX = ".snap.db";

  private final DataDir dir;
  private final Backend backend;

  public SnapshotFiles(DataDir dir, Backend backend) {
    this.dir = dir;
    this.backend = backend;
  }

  /// Stores a snapshot's contents durably. Any thread; blocks.
  ///
  /// @throws IOException when they cannot be stored, or are no whole store
  public void receive(long index, InputStream contents) throws IOException {
    Path target = file(index);
    Path temporary = Files.createTempFile(dir.snap(), "tmp", SUFFIX);
    try {
      Files.copy(contents, temporary, StandardCopyOption.REPLACE_EXISTING);
      requireStore(temporary);
      sync(temporary);
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      syncFolder();
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /// Replaces the store's contents by the snapshot `index` and makes that durable. Apply loop, or
  /// before it runs; blocks.
  ///
  /// @throws StorageException when the file is missing or damaged
  public void install(long index) {
    install(index, () -> {});
  }

  private void install(long index, Runnable driveBackend) {
    try (BboltReader snapshot = BboltReader.open(file(index))) {
      new StoreReplacement(backend, snapshot, driveBackend).run();
    }
    removeUpTo(index);
  }

  /// Takes over a snapshot that was logged but not installed when the member ended (RAFT-156).
  ///
  /// Nothing drives the backend yet, so it does that itself meanwhile.
  ///
  /// @throws StartException when its file is missing
  public void finishInstall(long loggedIndex) throws StartException {
    long consistentIndex;
    try (ReadView view = backend.read()) {
      consistentIndex = Meta.consistentIndex(view);
    }
    if (loggedIndex <= consistentIndex) {
      return;
    }
    if (!Files.exists(file(loggedIndex))) {
      throw new StartException(
          "failed to find database snapshot file: %s is missing, the store ends at index %d"
              .formatted(file(loggedIndex), consistentIndex));
    }
    install(loggedIndex, backend::doWork);
  }

  /// The file must be a bbolt file with the buckets of a store; that its pages are whole is found
  /// out when it is installed.
  private static void requireStore(Path file) throws IOException {
    try (BboltReader reader = BboltReader.open(file)) {
      if (!reader.buckets().contains(Bucket.KEY.text())) {
        throw new IOException(file + ": expected a bucket `key`, found " + reader.buckets());
      }
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void removeUpTo(long index) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(dir.snap(), "*" + SUFFIX)) {
      for (Path file : files) {
        if (file.getFileName().toString().compareTo(file(index).getFileName().toString()) <= 0) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new StorageException(dir.snap(), -1, "cannot remove installed snapshots", e);
    }
  }

  private static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  private void syncFolder() throws IOException {
    try (FileChannel channel = FileChannel.open(dir.snap(), StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private Path file(long index) {
    return dir.snap().resolve("%016x%s".formatted(index, SUFFIX));
  }
}
