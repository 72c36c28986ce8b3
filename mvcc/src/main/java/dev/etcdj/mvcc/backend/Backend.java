package dev.etcdj.mvcc.backend;

import java.util.concurrent.CompletableFuture;

/// An ordered byte store of [Bucket]s with batched, atomic, durable commits.
///
/// Writers collect changes in a [WriteUnit] and publish it whole. Published units gather in the
/// current batch, visible to readers at once; every 100 ms or 10 000 operations the batch is
/// frozen and the backend's thread commits it to disk with full sync, while the next batch fills.
/// A crash loses whole units from the end, never a part of one, and never one before another.
public interface Backend extends AutoCloseable {

  /// Opens a unit. Any thread; units of different threads are independent and ordered by
  /// [WriteUnit#publish].
  WriteUnit begin();

  /// A consistent picture of everything published so far. Takes the batches first and the disk
  /// snapshot second, so nothing falls between. Close it soon: a pinned one makes the file grow.
  ReadView read();

  /// The last durable state alone, for streaming a snapshot file: may be held long, at the price
  /// that no page freed since can be used again and the file grows by whatever is written.
  ReadView snapshotView();

  /// Freezes what is published and completes once it is durable. Completes exceptionally when the
  /// backend has failed.
  CompletableFuture<Void> commit();

  /// The [WriteUnit#position] up to which everything is durable. Grows only.
  long durablePosition();

  /// Whether [WriteUnit#publish] would not have to wait now. A simulation, which has no other
  /// thread to wait for, asks before it begins a unit.
  boolean hasRoom();

  /// Whether a commit found no room on the disk or in the map, or the next ones soon may not. What
  /// is published stays readable and is tried again until there is room; clients should be refused
  /// (NOSPACE) meanwhile. Once both batches are full, [WriteUnit#publish] waits.
  boolean isFull();

  /// Bytes the file takes (pages ever used × page size), or will take with what is published.
  long sizeBytes();

  /// Bytes in use: without free pages.
  long sizeInUseBytes();

  /// Agent step of the backend's thread: commits a frozen batch if one is due.
  ///
  /// @return whether it did anything
  boolean doWork();

  /// Nanoseconds until the current batch is due, [Long#MAX_VALUE] when it is empty.
  long nanosUntilDue();

  /// Commits what is published, if the disk lets it, then closes. Call it when no one is in
  /// [#doWork] any more; views still open stay readable until they are closed.
  @Override
  void close();
}
