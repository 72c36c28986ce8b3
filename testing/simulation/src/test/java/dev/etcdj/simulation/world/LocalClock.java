package dev.etcdj.simulation.world;

import java.util.function.LongSupplier;

/// A member's monotonic clock: begins anywhere and goes a little too fast or too slow.
final class LocalClock implements LongSupplier {
  private final Timeline time;
  private final long origin;
  private final double rate;

  LocalClock(Timeline time, long origin, double rate) {
    this.time = time;
    this.origin = origin;
    this.rate = rate;
  }

  @Override
  public long getAsLong() {
    return origin + (long) (time.now() * rate);
  }

  /// How long the world waits until this clock has moved by `nanos`.
  long toWorld(long nanos) {
    return nanos > Long.MAX_VALUE / 4 ? Long.MAX_VALUE / 4 : (long) (nanos / rate) + 1;
  }
}
