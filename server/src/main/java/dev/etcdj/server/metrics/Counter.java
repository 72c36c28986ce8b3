package dev.etcdj.server.metrics;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A number that only grows. Any thread.
public final class Counter {
  private final LongAdder sum = new LongAdder();
  // Set once while the member is put together, read by scrapes.
  private volatile @Nullable LongSupplier source;

  Counter() {}

  /// Takes the number from `supplier`, which counts by itself, in addition to what is added here.
  public void bind(LongSupplier supplier) {
    source = supplier;
  }

  /// Adds one.
  public void increment() {
    sum.increment();
  }

  /// Adds `count`, which is not negative.
  public void add(long count) {
    sum.add(count);
  }

  /// The number so far.
  public long value() {
    LongSupplier supplier = source;
    return supplier != null ? sum.sum() + supplier.getAsLong() : sum.sum();
  }
}
