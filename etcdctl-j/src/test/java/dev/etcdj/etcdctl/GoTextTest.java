package dev.etcdj.etcdctl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// Guarantee: texts, numbers and durations in Go's notation, as its strconv and time packages have
/// them. Expectations are Go's own outputs.
class GoTextTest {
  @Test
  void quotesLikeGo() {
    assertEquals("\"plain\"", GoText.quote("plain"));
    assertEquals("\"a\\\"b\\\\c\\n\\t\\a\"", GoText.quote("a\"b\\c\n\t\u0007"));
    assertEquals("\"\\x01\\x7f\"", GoText.quote("\u0001\u007f"));
    assertEquals("\"é世\"", GoText.quote("é世"));
    assertEquals("\"\\u200b\"", GoText.quote("\u200b"));
    assertEquals(
        "\"\\xff\\xc3\"", GoText.quote(ByteString.copyFrom(new byte[] {(byte) 0xff, (byte) 0xc3})));
  }

  @Test
  void unescapesLikeGo() {
    assertEquals(ByteString.copyFromUtf8("a\"b#\n"), GoText.unescape("a\\\"b\\x23\\n"));
    assertEquals(ByteString.copyFromUtf8("é"), GoText.unescape("\\u00e9"));
    assertEquals(ByteString.copyFrom(new byte[] {(byte) 0xff}), GoText.unescape("\\377"));
    assertThrows(IllegalArgumentException.class, () -> GoText.unescape("\\q"));
    assertThrows(IllegalArgumentException.class, () -> GoText.unescape("\\x2"));
  }

  @Test
  void readsNumbersLikeGo() {
    assertEquals(-5, GoText.parseInt("-5", 10));
    assertEquals(0x1f, GoText.parseInt("1f", 16));
    assertEquals(8, GoText.parseInt("010", 0));
    assertEquals(-1L, GoText.parseUnsignedHex("ffffffffffffffff"));
    assertEquals(
        "strconv.ParseInt: parsing \"zz\": invalid syntax",
        assertThrows(IllegalArgumentException.class, () -> GoText.parseInt("zz", 16)).getMessage());
    assertEquals(
        "strconv.ParseInt: parsing \"9223372036854775808\": value out of range",
        assertThrows(
                IllegalArgumentException.class, () -> GoText.parseInt("9223372036854775808", 10))
            .getMessage());
  }

  @Test
  void readsAndPrintsDurationsLikeGo() {
    assertEquals(Duration.ofMillis(90_500), GoDuration.parse("1m30.5s"));
    assertEquals(Duration.ZERO, GoDuration.parse("0"));
    assertEquals(
        "time: invalid duration \"abc\"",
        assertThrows(IllegalArgumentException.class, () -> GoDuration.parse("abc")).getMessage());
    assertEquals(
        "time: missing unit in duration \"5\"",
        assertThrows(IllegalArgumentException.class, () -> GoDuration.parse("5")).getMessage());
    assertEquals("4.792019ms", GoDuration.format(Duration.ofNanos(4_792_019)));
    assertEquals("1.000698861s", GoDuration.format(Duration.ofNanos(1_000_698_861)));
    assertEquals("1h2m3s", GoDuration.format(Duration.ofSeconds(3723)));
    assertEquals("100ns", GoDuration.format(Duration.ofNanos(100)));
    assertEquals("0s", GoDuration.format(Duration.ZERO));
  }
}
