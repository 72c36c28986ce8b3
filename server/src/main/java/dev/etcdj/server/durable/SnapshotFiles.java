package dev.etcdj.server.durable;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.schema.Meta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/// Snapshots that leaders sent: `<index>.snap.db`, bbolt files, kept until the store has taken
/// their contents over.
public final class SnapshotFiles {
  private final DataDir dir;
  private final Backend backend;

  public SnapshotFiles(DataDir dir, Backend backend) {
    this.dir = dir;
    this.backend = backend;
  }

  /// Stores a snapshot's contents durably.
  public void receive(long index, InputStream contents) throws IOException {
    throw new IOException("snapshot " + index + " cannot be taken yet: " + contents);
  }

  /// Replaces the store's contents by the snapshot `index`. Readers see the old contents or the
  /// new ones. Apply loop, or before it runs.
  public void install(long index) {
    throw new IllegalStateException("snapshot " + index + " at " + file(index));
  }

  /// Takes over a snapshot that was logged, but not installed before the member ended (RAFT-156).
  ///
  /// @throws StartException when its file is missing
  public void finishInstall(long loggedIndex) throws StartException {
    long consistentIndex;
    try (ReadView view = backend.read()) {
      consistentIndex = Meta.consistentIndex(view);
    }
    if (loggedIndex > consistentIndex) {
      throw new StartException(
          "failed to find database snapshot file: %s is missing".formatted(file(loggedIndex)));
    }
  }

  private Path file(long index) {
    return dir.snap().resolve("%016x.snap.db".formatted(index));
  }
}
