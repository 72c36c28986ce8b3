package dev.etcdj.mvcc.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Big-endian numbers in byte arrays.
final class Longs {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Longs() {}

  static byte[] bytes(long value) {
    byte[] to = new byte[Long.BYTES];
    LONG.set(to, 0, value);
    return to;
  }

  static void write(byte[] to, int at, long value) {
    LONG.set(to, at, value);
  }

  static long read(byte[] from, int at) {
    return (long) LONG.get(from, at);
  }
}
