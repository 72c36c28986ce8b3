package dev.etcdj.mvcc.backend;

/// Changes that become visible and durable together. Not thread-safe; used once.
public interface WriteUnit {
  /// Sets `key`, of 1 to 511 bytes, in `bucket`. Both arrays are given away: the caller must not
  /// write to them again.
  void put(Bucket bucket, byte[] key, byte[] value);

  /// Removes `key`; absent is no error.
  void delete(Bucket bucket, byte[] key);

  /// Operations so far.
  int size();

  /// Makes all changes visible at once. Blocks only while two batches are full, that is while
  /// the disk is behind by 10 000 operations.
  ///
  /// @return the position of this unit in the order of all units, from 1
  /// @throws dev.etcdj.mvcc.StorageException when the backend has failed for good, or is closed;
  ///     nothing was changed
  long publish();
}
