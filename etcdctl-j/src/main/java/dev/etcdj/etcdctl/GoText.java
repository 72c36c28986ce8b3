package dev.etcdj.etcdctl;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/// Text as etcdctl reads and prints it: quoted strings, numbers and switches in Go's notation,
/// whose exact form scripts depend on.
public final class GoText {
  private static final String ESCAPED = "\u0007\b\f\n\r\t\u000b\\\"";
  private static final String ESCAPES = "abfnrtv\\\"";

  private GoText() {}

  /// Quotes as Go's `%q`: printable characters stand for themselves, bytes that are no UTF-8 as
  /// `\xNN`, other characters by their code point.
  public static String quote(ByteString bytes) {
    StringBuilder out = new StringBuilder(bytes.size() + 2).append('"');
    int at = 0;
    while (at < bytes.size()) {
      int length = sequenceLength(bytes, at);
      if (length == 0) {
        out.append(String.format(Locale.ROOT, "\\x%02x", bytes.byteAt(at) & 0xff));
        at++;
        continue;
      }
      int codePoint =
          length == 1
              ? bytes.byteAt(at)
              : bytes.substring(at, at + length).toStringUtf8().codePointAt(0);
      appendQuoted(out, codePoint);
      at += length;
    }
    return out.append('"').toString();
  }

  /// Quotes a text.
  public static String quote(String text) {
    return quote(ByteString.copyFromUtf8(text));
  }

  /// Quotes a list as `["a" "b"]`.
  public static String quote(List<String> texts) {
    return texts.stream()
        .map(GoText::quote)
        .collect(java.util.stream.Collectors.joining(" ", "[", "]"));
  }

  private static void appendQuoted(StringBuilder out, int codePoint) {
    int escape = ESCAPED.indexOf(codePoint);
    if (escape >= 0) {
      out.append('\\').append(ESCAPES.charAt(escape));
    } else if (printable(codePoint)) {
      out.appendCodePoint(codePoint);
    } else if (codePoint < 0x80) {
      out.append(String.format(Locale.ROOT, "\\x%02x", codePoint));
    } else if (codePoint < 0x10000) {
      out.append(String.format(Locale.ROOT, "\\u%04x", codePoint));
    } else {
      out.append(String.format(Locale.ROOT, "\\U%08x", codePoint));
    }
  }

  private static boolean printable(int codePoint) {
    if (codePoint < 0x80) {
      return codePoint >= 0x20 && codePoint < 0x7f;
    }
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SPACE_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /// Length of the valid UTF-8 sequence at `at`; 0 when there is none.
  private static int sequenceLength(ByteString bytes, int at) {
    int first = bytes.byteAt(at) & 0xff;
    int length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first > 0xf4 || at + length > bytes.size()) {
      return 0;
    }
    return bytes.substring(at, at + length).isValidUtf8() ? length : 0;
  }

  /// Reads what stands between the quotes of a Go string.
  ///
  /// @throws IllegalArgumentException when it is malformed
  public static ByteString unescape(String body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(body.length());
    int at = 0;
    while (at < body.length()) {
      int codePoint = body.codePointAt(at);
      if (codePoint != '\\') {
        out.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
        at += Character.charCount(codePoint);
      } else {
        at = unescapeOne(body, at + 1, out);
      }
    }
    return ByteString.copyFrom(out.toByteArray());
  }

  private static int unescapeOne(String body, int at, ByteArrayOutputStream out) {
    if (at == body.length()) {
      throw new IllegalArgumentException("invalid syntax");
    }
    char kind = body.charAt(at);
    int escape = ESCAPES.indexOf(kind);
    if (escape >= 0) {
      out.write(ESCAPED.charAt(escape));
      return at + 1;
    }
    if (kind >= '0' && kind <= '7') {
      out.write(digits(body, at, 3, 8) & 0xff);
      return at + 3;
    }
    int width =
        switch (kind) {
          case 'x' -> 2;
          case 'u' -> 4;
          case 'U' -> 8;
          default -> throw new IllegalArgumentException("invalid syntax");
        };
    int value = digits(body, at + 1, width, 16);
    if (kind == 'x') {
      out.write(value);
    } else {
      out.writeBytes(Character.toString(value).getBytes(StandardCharsets.UTF_8));
    }
    return at + 1 + width;
  }

  private static int digits(String body, int at, int width, int radix) {
    if (at + width > body.length()) {
      throw new IllegalArgumentException("invalid syntax");
    }
    return Integer.parseInt(body.substring(at, at + width), radix);
  }

  /// Reads a switch.
  ///
  /// @throws IllegalArgumentException with Go's words
  public static boolean parseBool(String text) {
    return switch (text) {
      case "1", "t", "T", "TRUE", "true", "True" -> true;
      case "0", "f", "F", "FALSE", "false", "False" -> false;
      default -> throw new IllegalArgumentException(syntax("ParseBool", text));
    };
  }

  /// Reads a signed 64-bit number; `radix` 0 takes it from a prefix such as `0x`.
  ///
  /// @throws IllegalArgumentException with Go's words
  public static long parseInt(String text, int radix) {
    BigInteger value = parse("ParseInt", text, radix);
    if (value.bitLength() > 63) {
      throw new IllegalArgumentException(range("ParseInt", text));
    }
    return value.longValue();
  }

  /// Reads an unsigned 64-bit number in hexadecimal.
  ///
  /// @throws IllegalArgumentException with Go's words
  public static long parseUnsignedHex(String text) {
    if (text.startsWith("-") || text.startsWith("+")) {
      throw new IllegalArgumentException(syntax("ParseUint", text));
    }
    BigInteger value = parse("ParseUint", text, 16);
    if (value.bitLength() > 64) {
      throw new IllegalArgumentException(range("ParseUint", text));
    }
    return value.longValue();
  }

  private static BigInteger parse(String function, String text, int radix) {
    String digits = text;
    String sign = "";
    if (digits.startsWith("-") || digits.startsWith("+")) {
      sign = digits.startsWith("-") ? "-" : "";
      digits = digits.substring(1);
    }
    int base = radix;
    if (base == 0) {
      String lower = digits.toLowerCase(Locale.ROOT);
      base = 10;
      if (lower.startsWith("0x") || lower.startsWith("0b") || lower.startsWith("0o")) {
        base = lower.charAt(1) == 'x' ? 16 : lower.charAt(1) == 'b' ? 2 : 8;
        digits = digits.substring(2);
      } else if (lower.length() > 1 && lower.startsWith("0")) {
        base = 8;
        digits = digits.substring(1);
      }
    }
    if (digits.isEmpty() || digits.startsWith("-") || digits.startsWith("+")) {
      throw new IllegalArgumentException(syntax(function, text));
    }
    try {
      return new BigInteger(sign + digits, base);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(syntax(function, text), e);
    }
  }

  private static String syntax(String function, String text) {
    return "strconv." + function + ": parsing " + quote(text) + ": invalid syntax";
  }

  private static String range(String function, String text) {
    return "strconv." + function + ": parsing " + quote(text) + ": value out of range";
  }
}
