package dev.etcdj.simulation.world;

import java.util.random.RandomGenerator;

/// How long an agent's thread takes to wake up and to make a step.
final class Pace {
  private static final long MICRO = 1_000L;

  private final RandomGenerator random;
  private final long wakeNanos;
  private final long stepNanos;
  private final int hiccups;
  private long slowNanos;

  /// @param hiccups of how many times one takes a hundred times as long
  Pace(RandomGenerator random, long wakeMicros, long stepMicros, int hiccups) {
    this.random = random;
    this.wakeNanos = wakeMicros * MICRO;
    this.stepNanos = stepMicros * MICRO;
    this.hiccups = hiccups;
  }

  /// Adds so much to everything, 0 for nothing.
  void slow(long nanos) {
    slowNanos = nanos;
  }

  long wakeNanos() {
    return draw(wakeNanos);
  }

  long stepNanos() {
    return draw(stepNanos);
  }

  private long draw(long nanos) {
    long drawn = 1 + random.nextLong(nanos);
    return (random.nextInt(hiccups) == 0 ? 100 * drawn : drawn) + slowNanos;
  }
}
