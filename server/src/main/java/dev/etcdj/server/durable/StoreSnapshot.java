package dev.etcdj.server.durable;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.bbolt.BboltWriter;
import dev.etcdj.mvcc.schema.NamedRows;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.server.peer.SnapshotSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// The store as of one applied entry, written into a bbolt file that is deleted when it was sent.
public final class StoreSnapshot implements SnapshotSource {
  private final Snapshot metadata;
  private final Path file;

  private StoreSnapshot(Snapshot metadata, Path file) {
    this.metadata = metadata;
    this.file = file;
  }

  /// Writes what `view` shows, then closes it. Blocks for as long as the store is large.
  ///
  /// @throws StorageException when the file cannot be written
  public static StoreSnapshot write(DataDir dir, Snapshot metadata, ReadView view) {
    Path file =
        dir.snap()
            .resolve(
                "tmp-send-%016x-%d".formatted(metadata.index(), System.identityHashCode(view)));
    try (view;
        BboltWriter writer = BboltWriter.create(file)) {
      for (Bucket bucket : Bucket.values()) {
        writer.bucket(bucket.text());
        if (bucket == Bucket.AUTH_USERS || bucket == Bucket.AUTH_ROLES) {
          NamedRows.forEach(view, bucket, (name, row) -> writer.put(name.toByteArray(), row));
        } else {
          view.scan(
              bucket,
              new byte[0],
              null,
              (key, value) -> {
                writer.put(key, value);
                return true;
              });
        }
      }
      writer.finish();
      return new StoreSnapshot(metadata, file);
    } catch (RuntimeException e) {
      delete(file);
      throw e;
    }
  }

  @Override
  public Snapshot metadata() {
    return metadata;
  }

  @Override
  public long bytes() {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new StorageException(file, -1, "cannot be measured", e);
    }
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    Files.copy(file, out);
  }

  @Override
  public void close() {
    delete(file);
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new StorageException(file, -1, "cannot be deleted", e);
    }
  }
}
