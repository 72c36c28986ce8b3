package dev.etcdj.client.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/// Guarantee: ranges follow KV-32..34.
class KeyRangeTest {
  private static ByteString bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return ByteString.copyFrom(bytes);
  }

  @Test
  void prefixEndsBehindItsLastKey() {
    assertEquals(bytes('f', 'o', 'p'), KeyRange.prefix(bytes('f', 'o', 'o')).end());
    assertEquals(bytes('b'), KeyRange.prefix(bytes('a', 0xff, 0xff)).end());
    assertEquals(bytes(0), KeyRange.prefix(bytes(0xff, 0xff)).end());
  }

  @Test
  void everythingIsTheZeroByteTwice() {
    KeyRange all = new KeyRange(bytes(0), bytes(0));
    assertEquals(all, KeyRange.all());
    assertEquals(all, KeyRange.prefix(ByteString.EMPTY));
    assertEquals(all, KeyRange.from(ByteString.EMPTY));
  }
}
