package dev.etcdj.raft.log;

import java.util.Arrays;

/// An immutable byte string. Wraps without copying: whoever makes one gives the array away.
public final class Bytes {
  /// The byte string of length 0.
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /// Takes ownership of `array`; the caller must not write to it afterwards.
  public static Bytes wrap(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array);
  }

  /// Length in bytes.
  public int length() {
    return array.length;
  }

  /// Whether the length is 0.
  public boolean isEmpty() {
    return array.length == 0;
  }

  /// The backing array, not a copy. Read only: writing to it breaks every holder of this value.
  public byte[] unsafeArray() {
    return array;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes bytes && Arrays.equals(array, bytes.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  @Override
  public String toString() {
    return "Bytes[" + array.length + "]";
  }
}
