package dev.etcdj.etcdctl;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lengths of time in Go's notation, such as `1m30s` and `4.79ms`.
public final class GoDuration {
  private static final Pattern PART =
      Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");

  private GoDuration() {}

  /// Reads one.
  ///
  /// @throws IllegalArgumentException with Go's words
  public static Duration parse(String text) {
    boolean negative = text.startsWith("-");
    String rest = negative || text.startsWith("+") ? text.substring(1) : text;
    if (rest.equals("0")) {
      return Duration.ZERO;
    }
    Matcher part = PART.matcher(rest);
    BigDecimal nanos = BigDecimal.ZERO;
    int at = 0;
    while (at < rest.length() && part.find(at) && part.start() == at) {
      nanos = nanos.add(new BigDecimal(part.group(1)).multiply(unitNanos(part.group(2))));
      at = part.end();
    }
    if (rest.isEmpty() || at < rest.length()) {
      boolean number = rest.matches("\\d+\\.?\\d*|\\.\\d+");
      throw new IllegalArgumentException(
          "time: " + (number ? "missing unit in" : "invalid") + " duration " + GoText.quote(text));
    }
    Duration duration = Duration.ofNanos(nanos.longValue());
    return negative ? duration.negated() : duration;
  }

  private static BigDecimal unitNanos(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "ns" -> 1L;
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          default -> 1_000L;
        });
  }

  /// Prints one; non-negative only.
  public static String format(Duration duration) {
    long nanos = duration.toNanos();
    if (nanos == 0) {
      return "0s";
    }
    if (nanos < 1_000) {
      return nanos + "ns";
    }
    if (nanos < 1_000_000) {
      return decimal(nanos, 3) + "µs";
    }
    if (nanos < 1_000_000_000) {
      return decimal(nanos, 6) + "ms";
    }
    long minutes = nanos / 60_000_000_000L;
    String seconds = decimal(nanos % 60_000_000_000L, 9) + "s";
    if (minutes == 0) {
      return seconds;
    }
    return (minutes >= 60 ? minutes / 60 + "h" : "") + minutes % 60 + "m" + seconds;
  }

  private static String decimal(long value, int scale) {
    BigDecimal number = BigDecimal.valueOf(value, scale).stripTrailingZeros();
    return number.toPlainString();
  }
}
