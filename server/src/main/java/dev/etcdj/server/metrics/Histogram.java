package dev.etcdj.server.metrics;

import java.util.concurrent.atomic.LongAdder;

/// Counts observations by upper bound. Values are whole units of `unitsPerOne` to the printed one
/// (nanoseconds for a metric in seconds), so that observing takes no floating point. Any thread.
public final class Histogram {
  /// Nanoseconds in a second.
  static final double SECONDS = 1e9;

  /// Nanoseconds in a millisecond.
  static final double MILLIS = 1e6;

  /// Observed as it is printed.
  static final double PLAIN = 1;

  private final double[] bounds;
  private final long[] limits;
  private final double unitsPerOne;
  private final LongAdder[] buckets;
  private final LongAdder sum = new LongAdder();

  Histogram(double unitsPerOne, double[] bounds) {
    this.bounds = bounds.clone();
    this.unitsPerOne = unitsPerOne;
    this.limits = new long[bounds.length];
    this.buckets = new LongAdder[bounds.length + 1];
    for (int i = 0; i < bounds.length; i++) {
      limits[i] = Math.round(bounds[i] * unitsPerOne);
      buckets[i] = new LongAdder();
    }
    buckets[bounds.length] = new LongAdder();
  }

  /// `count` bounds, each `factor` times the one before.
  static double[] exponential(double first, double factor, int count) {
    double[] bounds = new double[count];
    for (int i = 0; i < count; i++) {
      // Rounded, or 0.001 doubled thirteen times would print as 8.192000000000001.
      bounds[i] = Math.round(first * Math.pow(factor, i) * 1e4) / 1e4;
    }
    return bounds;
  }

  /// Counts one observation, in the histogram's units.
  public void observe(long units) {
    int bucket = 0;
    while (bucket < limits.length && units > limits[bucket]) {
      bucket++;
    }
    buckets[bucket].increment();
    sum.add(units);
  }

  /// Number of observations.
  public long count() {
    long total = 0;
    for (LongAdder bucket : buckets) {
      total += bucket.sum();
    }
    return total;
  }

  /// Appends its lines. `labels` without braces, empty for none.
  void print(String name, String labels, StringBuilder out) {
    String before = labels.isEmpty() ? "" : labels + ",";
    String after = labels.isEmpty() ? "" : "{" + labels + "}";
    long cumulative = 0;
    for (int i = 0; i <= bounds.length; i++) {
      cumulative += buckets[i].sum();
      out.append(name).append("_bucket{").append(before).append("le=\"");
      out.append(i < bounds.length ? GoNumber.print(bounds[i]) : "+Inf").append("\"} ");
      out.append(GoNumber.print(cumulative)).append('\n');
    }
    out.append(name).append("_sum").append(after).append(' ');
    out.append(GoNumber.print(sum.sum() / unitsPerOne)).append('\n');
    out.append(name).append("_count").append(after).append(' ');
    out.append(GoNumber.print(cumulative)).append('\n');
  }
}
