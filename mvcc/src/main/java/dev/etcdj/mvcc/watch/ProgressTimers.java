package dev.etcdj.mvcc.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/// When each stream's progress notifications are due (WATCH-71). A stream that fired is out until
/// it has looked, so a stalled one costs nothing. Thread-safe.
final class ProgressTimers {
  private final TreeSet<ClientStream> byDue =
      new TreeSet<>(
          // Differences, because a nanosecond clock may wrap.
          ((Comparator<ClientStream>) (a, b) -> Long.signum(a.dueNanos - b.dueNanos))
              .thenComparingLong(stream -> stream.number));

  /// @return whether this is now the earliest
  synchronized boolean schedule(ClientStream stream, long dueNanos) {
    byDue.remove(stream);
    stream.dueNanos = dueNanos;
    byDue.add(stream);
    return byDue.first().number == stream.number;
  }

  synchronized void cancel(ClientStream stream) {
    byDue.remove(stream);
  }

  boolean fire(long nowNanos) {
    List<ClientStream> due = new ArrayList<>();
    synchronized (this) {
      while (!byDue.isEmpty() && byDue.first().dueNanos - nowNanos <= 0) {
        due.add(byDue.removeFirst());
      }
    }
    for (ClientStream stream : due) {
      stream.tick();
    }
    return !due.isEmpty();
  }

  synchronized long nanosUntilDue(long nowNanos) {
    return byDue.isEmpty() ? Long.MAX_VALUE : Math.max(0, byDue.first().dueNanos - nowNanos);
  }
}
