package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import java.util.Arrays;

/// The stored form of a key and its value: `mvccpb.KeyValue` on the wire, fields ascending,
/// defaults left out (KV-113). Values travel as these bytes from a put to a response, so encoding
/// happens once and parsing only where a field is needed.
///
/// ```
/// 0a len key | 10 create_revision | 18 mod_revision | 20 version | 2a len value | 30 lease
/// ```
///
/// An instance is the decoded picture of one such array, which it shares: read only. Fields this
/// version does not know are skipped.
public final class WireKeyValue {
  private static final int KEY = 0x0a;
  private static final int CREATE_REVISION = 0x10;
  private static final int MOD_REVISION = 0x18;
  private static final int VERSION = 0x20;
  private static final int VALUE = 0x2a;
  private static final int LEASE = 0x30;

  private final byte[] raw;
  private int at;
  private int keyFrom;
  private int keyTo;
  private int valueFrom;
  private int valueTo;
  private long createRevision;
  private long modRevision;
  private long version;
  private long lease;

  private WireKeyValue(byte[] raw) {
    this.raw = raw;
    while (at < raw.length) {
      field((int) varint());
    }
  }

  /// Decodes `raw`.
  ///
  /// @throws IllegalArgumentException if it is no such message
  public static WireKeyValue parse(byte[] raw) {
    try {
      return new WireKeyValue(raw);
    } catch (ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException("truncated KeyValue of " + raw.length + " bytes", e);
    }
  }

  /// Encodes a put. `version` is at least 1.
  public static byte[] encode(
      byte[] key,
      long createRevision,
      long modRevision,
      long version,
      ByteString value,
      long lease) {
    int valueLength = value.size();
    byte[] to =
        new byte
            [keySize(key)
                + numberSize(createRevision)
                + numberSize(modRevision)
                + numberSize(version)
                + (valueLength == 0 ? 0 : 1 + varintSize(valueLength) + valueLength)
                + numberSize(lease)];
    int at = putKey(to, key);
    at = putNumber(to, at, CREATE_REVISION, createRevision);
    at = putNumber(to, at, MOD_REVISION, modRevision);
    at = putNumber(to, at, VERSION, version);
    if (valueLength > 0) {
      to[at++] = VALUE;
      at = putVarint(to, at, valueLength);
      value.copyTo(to, at);
      at += valueLength;
    }
    putNumber(to, at, LEASE, lease);
    return to;
  }

  /// Encodes a deletion: the key and nothing else (KV-8).
  public static byte[] encodeTombstone(byte[] key) {
    byte[] to = new byte[keySize(key)];
    putKey(to, key);
    return to;
  }

  /// The same key and metadata with an empty value (KV-41).
  public byte[] withoutValue() {
    return encode(keyBytes(), createRevision, modRevision, version, ByteString.EMPTY, lease);
  }

  /// Copy of the key.
  public byte[] keyBytes() {
    return Arrays.copyOfRange(raw, keyFrom, keyTo);
  }

  /// Copy of the key.
  public ByteString key() {
    return ByteString.copyFrom(raw, keyFrom, keyTo - keyFrom);
  }

  /// Copy of the value.
  public ByteString value() {
    return ByteString.copyFrom(raw, valueFrom, valueTo - valueFrom);
  }

  /// Main revision that began the key's generation; 0 in a tombstone.
  public long createRevision() {
    return createRevision;
  }

  /// Main revision of this put; 0 in a tombstone.
  public long modRevision() {
    return modRevision;
  }

  /// Puts in the generation so far; 0 in a tombstone.
  public long version() {
    return version;
  }

  /// Lease named when it was put, 0 for none.
  public long lease() {
    return lease;
  }

  /// Orders by value, bytes unsigned.
  public int compareValue(WireKeyValue other) {
    return Arrays.compareUnsigned(
        raw, valueFrom, valueTo, other.raw, other.valueFrom, other.valueTo);
  }

  /// Orders this value against `value`, bytes unsigned.
  public int compareValue(byte[] value) {
    return Arrays.compareUnsigned(raw, valueFrom, valueTo, value, 0, value.length);
  }

  private void field(int tag) {
    switch (tag) {
      case KEY -> {
        int length = length();
        keyFrom = at;
        keyTo = at += length;
      }
      case VALUE -> {
        int length = length();
        valueFrom = at;
        valueTo = at += length;
      }
      case CREATE_REVISION -> createRevision = varint();
      case MOD_REVISION -> modRevision = varint();
      case VERSION -> version = varint();
      case LEASE -> lease = varint();
      default -> skip(tag);
    }
  }

  private void skip(int tag) {
    switch (tag & 7) {
      case 0 -> varint();
      case 1 -> at += 8;
      case 2 -> at += length();
      case 5 -> at += 4;
      default -> throw new IllegalArgumentException("KeyValue with field tag " + tag);
    }
  }

  private int length() {
    long length = varint();
    if (length < 0 || length > raw.length - at) {
      throw new IllegalArgumentException(
          "KeyValue field of " + length + " bytes, " + (raw.length - at) + " left");
    }
    return (int) length;
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte b = raw[at++];
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("KeyValue with an endless number");
  }

  private static int keySize(byte[] key) {
    return key.length == 0 ? 0 : 1 + varintSize(key.length) + key.length;
  }

  private static int putKey(byte[] to, byte[] key) {
    if (key.length == 0) {
      return 0;
    }
    to[0] = KEY;
    int at = putVarint(to, 1, key.length);
    System.arraycopy(key, 0, to, at, key.length);
    return at + key.length;
  }

  private static int numberSize(long number) {
    return number == 0 ? 0 : 1 + varintSize(number);
  }

  private static int putNumber(byte[] to, int at, int tag, long number) {
    if (number == 0) {
      return at;
    }
    to[at] = (byte) tag;
    return putVarint(to, at + 1, number);
  }

  private static int varintSize(long number) {
    return (70 - Long.numberOfLeadingZeros(number | 1)) / 7;
  }

  private static int putVarint(byte[] to, int start, long number) {
    int at = start;
    long left = number;
    while ((left & ~0x7fL) != 0) {
      to[at++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    to[at++] = (byte) left;
    return at;
  }
}
