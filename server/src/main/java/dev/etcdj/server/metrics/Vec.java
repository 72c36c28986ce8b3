package dev.etcdj.server.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/// Metrics of one name told apart by labels; one that was never asked for has no line.
public final class Vec<M> {
  /// More series than this of one name are counted together under empty labels: some labels
  /// carry what a client or a peer says.
  static final int MAX_SERIES = 512;

  private final Function<String, M> factory;
  private final String[] labelNames;
  // Positions of the label names in alphabetical order, in which they are printed.
  private final int[] order;
  private final Map<String, M> series = new ConcurrentHashMap<>();

  Vec(Function<String, M> factory, String[] labelNames) {
    this.factory = factory;
    this.labelNames = labelNames.clone();
    this.order =
        IntStream.range(0, labelNames.length)
            .boxed()
            .sorted(Comparator.comparing(i -> labelNames[i]))
            .mapToInt(Integer::intValue)
            .toArray();
  }

  /// The metric with these label values, in the order of the label names. Keep it where it is
  /// used often.
  public M with(String... values) {
    String[] parts = new String[labelNames.length * 2];
    for (int i = 0; i < labelNames.length; i++) {
      parts[2 * i] = labelNames[order[i]];
      parts[2 * i + 1] = values[order[i]];
    }
    String key = Registry.labels(parts);
    M known = series.get(key);
    if (known != null) {
      return known;
    }
    if (series.size() >= MAX_SERIES) {
      for (int i = 1; i < parts.length; i += 2) {
        parts[i] = "";
      }
      key = Registry.labels(parts);
    }
    return series.computeIfAbsent(key, factory);
  }

  void each(BiConsumer<String, M> action) {
    List<String> keys = new ArrayList<>(series.keySet());
    keys.sort(null);
    for (String key : keys) {
      M one = series.get(key);
      if (one != null) {
        action.accept(key, one);
      }
    }
  }
}
