package dev.etcdj.server.metrics;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/// A number that goes up and down: either set, or asked for at each scrape. Any thread.
public final class Gauge {
  private final AtomicLong value = new AtomicLong();
  // Set once while the member is put together, read by scrapes.
  private volatile @Nullable DoubleSupplier source;

  Gauge() {}

  /// Takes the value from `supplier` from now on; it must be cheap and thread-safe.
  public void bind(DoubleSupplier supplier) {
    source = supplier;
  }

  public void set(long newValue) {
    value.set(newValue);
  }

  /// Adds `change`, which may be negative.
  public void add(long change) {
    value.addAndGet(change);
  }

  /// The value now.
  public double value() {
    DoubleSupplier supplier = source;
    return supplier != null ? supplier.getAsDouble() : value.get();
  }
}
