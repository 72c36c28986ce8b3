package dev.etcdj.mvcc.backend;

import java.nio.file.Path;

/// The backend on disk: one LMDB file `db` in a directory, one LMDB database per bucket.
///
/// Beside it lie LMDB's reader table `db-lock` and `db-owner`, locked while the backend is open.
public final class LmdbBackend extends BatchedBackend {
  private final LmdbEngine engine;

  private LmdbBackend(LmdbEngine engine, BackendOptions options) {
    super(engine, options);
    this.engine = engine;
  }

  /// Opens the backend in `directory`, which must exist; an empty one is set up.
  ///
  /// @throws dev.etcdj.mvcc.StorageException when the file is foreign, damaged or cut off, is in
  ///     use, or cannot be written
  public static LmdbBackend open(Path directory, LmdbOptions lmdb, BackendOptions options) {
    return new LmdbBackend(LmdbEngine.open(directory, lmdb), options);
  }

  /// Writes what is durable now into the new file `target`, without free pages, and syncs it. Any
  /// thread; slow; pins its state like [#snapshotView].
  ///
  /// @throws dev.etcdj.mvcc.StorageException when the target exists or cannot be written
  public void compactTo(Path target) {
    engine.compactTo(target);
  }
}
