package dev.etcdj.mvcc.backend;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What lies below the batches: a durable, ordered store that changes by one whole batch at a time.
interface Engine {
  /// Writes `batch` and makes it durable. One caller at a time.
  ///
  /// @throws dev.etcdj.mvcc.StorageException when it is unknown what is durable: fatal
  Outcome commit(Overlay batch);

  /// A consistent picture, if it is one of the given states, else null (the caller's batches are
  /// of another moment). Any thread.
  @Nullable Disk read(long lowestId, long highestId);

  /// The durable state now.
  Extent extent();

  /// In use beyond this many bytes, clients should be refused, so that what frees room still fits.
  long comfortableBytes();

  /// Where the bytes are, for messages.
  Path file();

  /// No reads and commits from now on. Pictures still held stay readable.
  void close();

  /// @param id state, growing with each commit that changed anything
  /// @param fileBytes bytes the file takes
  /// @param usedBytes of which in use
  record Extent(long id, long fileBytes, long usedBytes) {}

  /// How a commit ended.
  sealed interface Outcome {}

  /// The batch is durable.
  record Committed(Extent extent) implements Outcome {}

  /// Nothing was changed, for want of room; may be tried again.
  record NoRoom(String what) implements Outcome {}

  /// A consistent picture of the durable state. One thread at a time.
  interface Disk {
    byte @Nullable [] get(Bucket bucket, byte[] key);

    /// See [ReadView#pin]; readable until [#release].
    boolean pin(Bucket bucket, byte[] key, PinnedValues into);

    /// The pairs with key ≥ `from`; to be closed before [#release].
    Source scan(Bucket bucket, byte[] from);

    void release();
  }
}
