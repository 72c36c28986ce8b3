package dev.etcdj.mvcc.watch;

import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.KvStore;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/// Fans committed events out to watchers. A watcher is a position (the next revision it needs), a
/// range and flags; it reads recent events, encoded once, from a shared ring, older ones from the
/// store's history. No watcher ever makes the writer wait, none has a queue that grows.
public final class WatchHub implements KvStore.EventSink, AutoCloseable {
  /// @param ringBytes most bytes of encoded events kept for followers
  /// @param ringRevisions most revisions kept
  /// @param maxResponseBytes a response this long is fragmented on request (WATCH-90)
  /// @param progressIntervalNanos pause between progress notifications (WATCH-71)
  /// @param catchUpRevisions most distinct revisions in a catch-up response (WATCH-46)
  public record Options(
      long ringBytes,
      int ringRevisions,
      int maxResponseBytes,
      long progressIntervalNanos,
      int catchUpRevisions) {}

  /// @param wake tells the runner of [#doWork] (thread `watch-sync`) that there is work
  public WatchHub(
      Options options, LongSupplier nanoClock, IntUnaryOperator randomInt, Runnable wake) {
    throw new UnsupportedOperationException("watch");
  }

  /// The store to read history from; before the first stream is opened, and again when a snapshot
  /// replaced the store (WATCH-85).
  public void attach(KvStore store) {
    throw new UnsupportedOperationException("watch");
  }

  /// @param wake see [WatchStream#poll]; called from any thread, must be cheap and not block
  public WatchStream openStream(Runnable wake) {
    throw new UnsupportedOperationException("watch");
  }

  @Override
  public void committed(long revision, List<Event> events) {
    throw new UnsupportedOperationException("watch");
  }

  /// Agent step of thread `watch-sync`: reads history for watchers that are behind.
  public boolean doWork() {
    throw new UnsupportedOperationException("watch");
  }

  /// Nanoseconds until `doWork` has timed work (progress), [Long#MAX_VALUE] for none.
  public long nanosUntilDue() {
    throw new UnsupportedOperationException("watch");
  }

  /// Watchers now open, for metrics.
  public int watcherCount() {
    throw new UnsupportedOperationException("watch");
  }

  /// Watchers that need history, for metrics.
  public int unsyncedCount() {
    throw new UnsupportedOperationException("watch");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("watch");
  }
}
