package dev.etcdj.server.durable;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.schema.Meta;

/// Lets the store take over what a leader sent.
///
/// The snapshot is durable on the shelf before its message reaches raft; when raft has logged it,
/// the store takes its contents over ([#install]), and it goes. A crash in between is made good at
/// the next start ([#finish]).
public final class SnapshotInstall {
  private final Backend backend;
  private final SnapshotShelf shelf;
  private final Runnable driveBackend;

  /// @param driveBackend has the backend commit what is due, where no thread does that
  public SnapshotInstall(Backend backend, SnapshotShelf shelf, Runnable driveBackend) {
    this.backend = backend;
    this.shelf = shelf;
    this.driveBackend = driveBackend;
  }

  /// Replaces the store's contents by the snapshot `index` and makes that durable. Apply loop;
  /// blocks.
  ///
  /// @throws dev.etcdj.mvcc.StorageException when the snapshot is missing or damaged
  public void install(long index) {
    install(index, driveBackend);
  }

  private void install(long index, Runnable drive) {
    try (SnapshotShelf.Contents snapshot = shelf.open(index)) {
      new StoreReplacement(backend, snapshot, drive).run();
    }
    shelf.removeUpTo(index);
  }

  /// Takes over a snapshot that was logged but not installed when the member ended (RAFT-156).
  ///
  /// Nothing drives the backend yet, so it does that itself meanwhile.
  ///
  /// @param loggedIndex of the newest snapshot in the log
  /// @throws StartException when the snapshot is missing
  void finish(long loggedIndex) throws StartException {
    long consistentIndex;
    try (ReadView view = backend.read()) {
      consistentIndex = Meta.consistentIndex(view);
    }
    if (loggedIndex <= consistentIndex) {
      return;
    }
    if (!shelf.has(loggedIndex)) {
      throw new StartException(
          "failed to find database snapshot file: %016x.snap.db is missing, the store ends at index %d"
              .formatted(loggedIndex, consistentIndex));
    }
    install(loggedIndex, backend::doWork);
  }
}
