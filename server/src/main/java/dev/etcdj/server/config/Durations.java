package dev.etcdj.server.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Durations as Go writes them: `1m30s`, `100ms`, `1.5h`, `0`.
public final class Durations {
  private static final Pattern PART =
      Pattern.compile("([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h)");
  private static final Map<String, Long> NANOS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "µs", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L);

  private Durations() {}

  /// Nanoseconds.
  ///
  /// @throws IllegalArgumentException when `text` is none, or beyond 292 years
  public static long parse(String text) {
    String rest = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
    if (rest.equals("0")) {
      return 0;
    }
    Matcher matcher = PART.matcher(rest);
    BigDecimal nanos = BigDecimal.ZERO;
    int end = 0;
    while (matcher.lookingAt() || matcher.find()) {
      if (matcher.start() != end) {
        break;
      }
      nanos =
          nanos.add(
              new BigDecimal(matcher.group(1))
                  .multiply(BigDecimal.valueOf(NANOS.getOrDefault(matcher.group(2), 0L))));
      end = matcher.end();
      matcher.region(end, rest.length());
    }
    if (end == 0 || end != rest.length()) {
      throw new IllegalArgumentException("time: invalid duration \"" + text + "\"");
    }
    try {
      long value = nanos.setScale(0, RoundingMode.DOWN).longValueExact();
      return text.startsWith("-") ? -value : value;
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("time: invalid duration \"" + text + "\"", e);
    }
  }
}
