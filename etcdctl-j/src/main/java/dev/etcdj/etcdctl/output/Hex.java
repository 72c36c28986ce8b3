package dev.etcdj.etcdctl.output;

/// Ids in hexadecimal.
public final class Hex {
  private Hex() {}

  /// At least `width` digits, zeros in front.
  public static String of(long id, int width) {
    String digits = Long.toHexString(id);
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }
}
