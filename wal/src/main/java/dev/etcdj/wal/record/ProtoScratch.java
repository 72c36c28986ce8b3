package dev.etcdj.wal.record;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// A small growing array that protobuf fields are put into.
final class ProtoScratch {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;
  private static final int LONGEST_FIELD_BYTES = 11;

  private byte[] array;
  private int length;

  ProtoScratch(int bytes) {
    array = new byte[bytes];
  }

  ProtoScratch clear() {
    length = 0;
    return this;
  }

  byte[] array() {
    return array;
  }

  int length() {
    return length;
  }

  /// A varint field; `number` below 16.
  ProtoScratch field(int number, long value) {
    return put(number << 3 | VARINT, value);
  }

  /// Tag and length of a field whose bytes follow.
  ProtoScratch lengthPrefix(int number, int bytes) {
    return put(number << 3 | LENGTH_DELIMITED, bytes);
  }

  ProtoScratch bytes(ProtoScratch other) {
    room(other.length);
    System.arraycopy(other.array, 0, array, length, other.length);
    length += other.length;
    return this;
  }

  private ProtoScratch put(int tag, long value) {
    room(LONGEST_FIELD_BYTES);
    array[length++] = (byte) tag;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      array[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[length++] = (byte) rest;
    return this;
  }

  private void room(int bytes) {
    if (array.length - length < bytes) {
      array = Arrays.copyOf(array, Math.max(2 * array.length, length + bytes));
    }
  }

  static int varintBytes(long value) {
    return value == 0 ? 1 : (70 - Long.numberOfLeadingZeros(value)) / 7;
  }

  static void putVarint(ByteBuffer out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }
}
