package dev.etcdj.wal.record;

import java.util.List;

/// Walks over the protobuf fields of a piece of an array. What is malformed ends the walk and
/// leaves [#malformed] true; nothing is thrown, because a torn write is an expected sight.
final class ProtoCursor {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED32 = 5;

  private final byte[] array;
  private final int end;
  private int position;
  private int wireType;
  private boolean malformed;

  ProtoCursor(byte[] array, int offset, int length) {
    this.array = array;
    this.position = offset;
    this.end = offset + length;
  }

  boolean malformed() {
    return malformed;
  }

  int position() {
    return position;
  }

  /// The next field's number, 0 at the end or when malformed.
  int nextField() {
    if (position >= end) {
      return 0;
    }
    long tag = varint();
    int field = (int) (tag >>> 3);
    wireType = (int) tag & 7;
    if (malformed || field <= 0 || tag > 0xffffffffL) {
      return fail();
    }
    return field;
  }

  /// Value of a varint field.
  long number() {
    return wireType == VARINT ? varint() : fail();
  }

  /// Adds the values of a repeated field: one, or several when they are packed.
  void numbers(List<Long> to) {
    if (wireType != LENGTH_DELIMITED) {
      to.add(number());
      return;
    }
    int length = length();
    for (int last = position + length; position < last && !malformed; ) {
      to.add(varint());
    }
  }

  /// Length of a length-delimited field, whose bytes begin at [#position].
  int length() {
    long length = wireType == LENGTH_DELIMITED ? varint() : -1;
    return length < 0 || length > end - position ? fail() : (int) length;
  }

  /// Steps over a field's bytes, or over a field that is not known here.
  void skip(int bytes) {
    if (bytes > end - position) {
      fail();
    } else {
      position += bytes;
    }
  }

  void skipUnknown() {
    switch (wireType) {
      case VARINT -> varint();
      case FIXED64 -> skip(8);
      case LENGTH_DELIMITED -> skip(length());
      case FIXED32 -> skip(4);
      default -> fail();
    }
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64 && position < end; shift += 7) {
      byte next = array[position++];
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    return fail();
  }

  private int fail() {
    malformed = true;
    position = end;
    return 0;
  }
}
