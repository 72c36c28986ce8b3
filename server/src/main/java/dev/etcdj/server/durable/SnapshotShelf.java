package dev.etcdj.server.durable;

import dev.etcdj.mvcc.backend.Bucket;

/// Durable snapshots of leaders, by index, kept until the store has taken them over.
public interface SnapshotShelf {
  /// Whether the snapshot `index` is there, whole.
  boolean has(long index);

  /// @throws dev.etcdj.mvcc.StorageException when it is missing or damaged
  Contents open(long index);

  /// Drops the snapshots up to `index`.
  void removeUpTo(long index);

  /// What a snapshot says.
  interface Contents extends AutoCloseable {
    /// The rows of `bucket` in key order; users and roles under their full names.
    Rows rows(Bucket bucket);

    @Override
    void close();
  }

  /// Rows, one after the other.
  interface Rows {
    /// @return false behind the last one
    boolean next();

    byte[] key();

    byte[] value();
  }
}
