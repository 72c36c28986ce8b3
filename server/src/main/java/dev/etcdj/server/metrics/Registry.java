package dev.etcdj.server.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/// All metrics of a member by name, and their Prometheus text (format 0.0.4). Metrics are added
/// while the member is put together; printing is any thread's.
final class Registry {
  private static final String COUNTER = "counter";
  private static final String GAUGE = "gauge";
  private static final String HISTOGRAM = "histogram";

  /// @param samples appends the lines behind the head
  private record Family(String name, String type, String help, Consumer<StringBuilder> samples) {}

  private final Map<String, Family> families = new TreeMap<>();

  Counter counter(String name, String help) {
    Counter counter = new Counter();
    add(name, COUNTER, help, out -> line(out, name, "", counter.value()));
    return counter;
  }

  /// A counter of something that is measured elsewhere and need not be whole.
  void counter(String name, String help, DoubleSupplier value) {
    add(name, COUNTER, help, out -> line(out, name, "", value.getAsDouble()));
  }

  Gauge gauge(String name, String help) {
    Gauge gauge = new Gauge();
    add(name, GAUGE, help, out -> line(out, name, "", gauge.value()));
    return gauge;
  }

  Histogram histogram(String name, String help, double unitsPerOne, double[] bounds) {
    Histogram histogram = new Histogram(unitsPerOne, bounds);
    add(name, HISTOGRAM, help, out -> histogram.print(name, "", out));
    return histogram;
  }

  /// A gauge that is always 1 and tells something by its one label; nothing while that is empty.
  void info(String name, String help, String label, Supplier<String> value) {
    add(
        name,
        GAUGE,
        help,
        out -> {
          String text = value.get();
          if (!text.isEmpty()) {
            line(out, name, labels(label, text), 1);
          }
        });
  }

  Vec<Counter> counters(String name, String help, String... labelNames) {
    Vec<Counter> vec = new Vec<>(key -> new Counter(), labelNames);
    add(name, COUNTER, help, out -> vec.each((key, one) -> line(out, name, key, one.value())));
    return vec;
  }

  Vec<Gauge> gauges(String name, String help, String... labelNames) {
    Vec<Gauge> vec = new Vec<>(key -> new Gauge(), labelNames);
    add(name, GAUGE, help, out -> vec.each((key, one) -> line(out, name, key, one.value())));
    return vec;
  }

  Vec<Histogram> histograms(
      String name, String help, double unitsPerOne, double[] bounds, String... labelNames) {
    Vec<Histogram> vec = new Vec<>(key -> new Histogram(unitsPerOne, bounds), labelNames);
    add(name, HISTOGRAM, help, out -> vec.each((key, one) -> one.print(name, key, out)));
    return vec;
  }

  private void add(String name, String type, String help, Consumer<StringBuilder> samples) {
    if (families.put(name, new Family(name, type, help, samples)) != null) {
      throw new IllegalArgumentException(name + " is there already");
    }
  }

  private static void line(StringBuilder out, String name, String labels, double value) {
    out.append(name);
    if (!labels.isEmpty()) {
      out.append('{').append(labels).append('}');
    }
    out.append(' ').append(GoNumber.print(value)).append('\n');
  }

  /// Appends everything, ascending by name. A family without samples is left out, head and all.
  void print(StringBuilder out) {
    for (Family family : families.values()) {
      int start = out.length();
      out.append("# HELP ").append(family.name).append(' ').append(family.help).append('\n');
      out.append("# TYPE ").append(family.name).append(' ').append(family.type).append('\n');
      int head = out.length();
      family.samples.accept(out);
      if (out.length() == head) {
        out.setLength(start);
      }
    }
  }

  /// Label names and values in turn, as they stand between braces.
  static String labels(String... namesAndValues) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      out.append(i > 0 ? "," : "").append(namesAndValues[i]).append("=\"");
      String value = namesAndValues[i + 1];
      out.append(value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
      out.append('"');
    }
    return out.toString();
  }
}
