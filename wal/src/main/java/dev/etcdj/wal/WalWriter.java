package dev.etcdj.wal;

/// Group commit: merges whatever appends are queued into one write and one fdatasync.
///
/// An agent: `submit` and `release` may be called from the raft loop's thread, [#doWork] from the
/// writer's thread `wal-sync`. After a failure it accepts nothing and has told `onFailure` once.
public final class WalWriter implements AutoCloseable {
  /// @param capacity most appends queued at a time
  /// @param wake called after each submit so that the writer's thread runs `doWork`
  /// @param metrics told the length of every fdatasync
  public WalWriter(
      Wal wal, int capacity, Runnable wake, WalMetrics metrics, FailureHandler onFailure) {
    throw new UnsupportedOperationException("wal");
  }

  /// Receives the one failure after which nothing can be promised any more.
  @FunctionalInterface
  public interface FailureHandler {
    void failed(Throwable cause);
  }

  /// Figures of the log.
  public interface WalMetrics {
    void fsynced(long nanos);

    void wrote(long bytes);
  }

  /// False when the queue is full; nothing was taken then.
  public boolean submit(WalAppend append) {
    throw new UnsupportedOperationException("wal");
  }

  /// Queues a release of segments (see [Wal#releaseTo]).
  public void release(long index) {
    throw new UnsupportedOperationException("wal");
  }

  /// Takes all that is queued, writes, syncs once if any of it must be, tells everyone.
  ///
  /// @return whether there was anything to do
  public boolean doWork() {
    throw new UnsupportedOperationException("wal");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("wal");
  }
}
