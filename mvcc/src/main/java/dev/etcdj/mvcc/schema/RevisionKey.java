package dev.etcdj.mvcc.schema;

import dev.etcdj.mvcc.Revision;

/// Keys of bucket `key`: 8 bytes big-endian main, `_`, 8 bytes big-endian sub, and `t` behind it
/// for a tombstone (KV-113). Byte order is revision order.
public final class RevisionKey {
  /// Length of the key of a put, in bytes.
  public static final int BYTES = 17;

  private RevisionKey() {}

  /// The key of a change.
  public static byte[] encode(long main, long sub, boolean tombstone) {
    byte[] key = new byte[tombstone ? BYTES + 1 : BYTES];
    putLong(key, 0, main);
    key[8] = '_';
    putLong(key, 9, sub);
    if (tombstone) {
      key[BYTES] = 't';
    }
    return key;
  }

  /// The revision in a key.
  public static Revision decode(byte[] key) {
    return new Revision(main(key), sub(key));
  }

  /// The main revision in a key.
  public static long main(byte[] key) {
    return getLong(key, 0);
  }

  /// The sub revision in a key.
  public static long sub(byte[] key) {
    return getLong(key, 9);
  }

  /// Whether the key is a deletion's.
  public static boolean isTombstone(byte[] key) {
    return key.length > BYTES;
  }

  private static void putLong(byte[] to, int at, long value) {
    for (int i = 0; i < 8; i++) {
      to[at + i] = (byte) (value >>> (56 - 8 * i));
    }
  }

  private static long getLong(byte[] from, int at) {
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | (from[at + i] & 0xff);
    }
    return value;
  }
}
