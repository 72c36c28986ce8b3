package dev.etcdj.mvcc.watch;

import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.KvStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Fans committed events out to watchers. A watcher is a position (the next revision it needs), a
/// range and flags; it reads recent events, encoded once, from a shared ring, older ones from the
/// store's history. No watcher ever makes the writer wait, none has a queue that grows.
public final class WatchHub implements KvStore.EventSink, AutoCloseable {
  /// @param ringBytes most bytes of encoded events kept for followers; history read for watchers
  ///     that are behind may take as much again
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

  final Options options;
  final LongSupplier nanoClock;
  final HistorySource history = new HistorySource();
  final Fanout fanout;
  final CatchUp catchUp;

  private final IntUnaryOperator randomInt;
  private final Runnable wake;
  private final ProgressTimers timers = new ProgressTimers();
  private final AtomicLong streams = new AtomicLong();

  /// @param randomInt a number from 0 to below its argument
  /// @param wake tells the runner of [#doWork] (thread `watch-sync`) that there is work
  public WatchHub(
      Options options, LongSupplier nanoClock, IntUnaryOperator randomInt, Runnable wake) {
    this.options = options;
    this.nanoClock = nanoClock;
    this.randomInt = randomInt;
    this.wake = wake;
    this.fanout = new Fanout(new RecentEvents(options.ringRevisions(), options.ringBytes()));
    this.catchUp = new CatchUp(fanout, history, options, nanoClock, wake);
  }

  /// The store to read history from, before the first stream is opened.
  public void attach(KvStore store) {
    attach(History.of(store));
  }

  void attach(History store) {
    replace(() -> store);
  }

  /// Takes another store in place of the present one, whose contents `replacement` may destroy: no
  /// history is read while it runs, and no commit may run either. Watchers go on from the new
  /// store's history (WATCH-85).
  public void replaceStore(Supplier<KvStore> replacement) {
    replace(() -> History.of(replacement.get()));
  }

  private void replace(Supplier<History> replacement) {
    History now = history.replace(replacement);
    catchUp.reset();
    fanout.reset(now.revision());
  }

  /// @param wake see [WatchStream#poll]; called from any thread, must be cheap and not block
  public WatchStream openStream(Runnable wake) {
    long interval = Math.max(1, options.progressIntervalNanos());
    int tenthMicros = (int) Math.min(Integer.MAX_VALUE, interval / 10_000);
    long extra = tenthMicros > 0 ? randomInt.applyAsInt(tenthMicros) * 1000L : 0;
    return new ClientStream(this, streams.incrementAndGet(), wake, interval + extra);
  }

  @Override
  public void committed(long revision, List<Event> events) {
    fanout.committed(revision, events);
  }

  /// Agent step of thread `watch-sync`: reads history for watchers that are behind.
  public boolean doWork() {
    boolean fired = timers.fire(nanoClock.getAsLong());
    return catchUp.doWork() || fired;
  }

  /// Nanoseconds until `doWork` has timed work (progress), [Long#MAX_VALUE] for none.
  public long nanosUntilDue() {
    return Math.min(catchUp.nanosUntilDue(), timers.nanosUntilDue(nanoClock.getAsLong()));
  }

  /// Watchers now open, for metrics.
  public int watcherCount() {
    return fanout.open();
  }

  /// Watchers that need history, for metrics.
  public int unsyncedCount() {
    return fanout.unsynced();
  }

  void scheduleTick(ClientStream stream, long dueNanos) {
    boolean earliest = timers.schedule(stream, dueNanos);
    if (stream.isClosed()) {
      timers.cancel(stream);
    } else if (earliest) {
      wake.run();
    }
  }

  /// Ends what a closed stream had under way.
  void closed(ClientStream stream) {
    fanout.removeAll(stream);
    timers.cancel(stream);
  }

  @Override
  public void close() {
    catchUp.reset();
  }
}
