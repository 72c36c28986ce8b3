package dev.etcdj.server.metrics;

import java.math.BigDecimal;

/// Numbers as Go prints them in the shortest general form, which scripts compare by text.
final class GoNumber {
  private GoNumber() {}

  /// From a million on, and below a ten-thousandth, with an exponent of at least two digits.
  static String print(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    } else if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    } else if (value == 0) {
      return "0";
    }
    BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    int exponent = digits.precision() - digits.scale() - 1;
    if (exponent >= -4 && exponent < 6) {
      return digits.toPlainString();
    }
    String all = digits.unscaledValue().abs().toString();
    return (value < 0 ? "-" : "")
        + all.charAt(0)
        + (all.length() > 1 ? "." + all.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }
}
