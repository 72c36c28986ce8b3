package dev.etcdj.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// Lets through, in each second, the first 100 lines of the same level and message, then every
/// hundredth, so that a failure that repeats does not drown the log or the disk. Lines are told
/// apart by a hash over a fixed number of counters; two that share one are counted together.
public final class SamplingFilter extends Filter<ILoggingEvent> {
  private static final int COUNTERS = 4096;
  private static final long FIRST = 100;
  private static final long THEN_EVERY = 100;

  private final AtomicLongArray counts = new AtomicLongArray(COUNTERS);
  private final AtomicLong second = new AtomicLong(-1);

  @Override
  public FilterReply decide(ILoggingEvent event) {
    long now = event.getTimeStamp() / 1000;
    if (second.getAndSet(now) != now) {
      for (int i = 0; i < COUNTERS; i++) {
        counts.set(i, 0);
      }
    }
    int hash = 31 * event.getLevel().hashCode() + String.valueOf(event.getMessage()).hashCode();
    long count = counts.incrementAndGet(Math.floorMod(hash, COUNTERS));
    return count <= FIRST || (count - FIRST) % THEN_EVERY == 0
        ? FilterReply.NEUTRAL
        : FilterReply.DENY;
  }
}
