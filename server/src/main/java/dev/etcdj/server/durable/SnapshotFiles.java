package dev.etcdj.server.durable;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.bbolt.BboltReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// The shelf of a member: `<index>.snap.db`, bbolt files.
public final class SnapshotFiles implements SnapshotShelf {
  private static final String SUFFIX = ".snap.db";

  private final DataDir dir;

  public SnapshotFiles(DataDir dir) {
    this.dir = dir;
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

  @Override
  public boolean has(long index) {
    return Files.exists(file(index));
  }

  @Override
  public Contents open(long index) {
    return new FileContents(BboltReader.open(file(index)));
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

  /// A snapshot in its file.
  record FileContents(BboltReader reader) implements Contents {
    @Override
    public Rows rows(Bucket bucket) {
      BboltReader.Cursor cursor = reader.cursor(bucket.text());
      return new Rows() {
        @Override
        public boolean next() {
          return cursor.next();
        }

        @Override
        public byte[] key() {
          return cursor.key();
        }

        @Override
        public byte[] value() {
          return cursor.value();
        }
      };
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  @Override
  public void removeUpTo(long index) {
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
