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
    Longs.write(key, 0, main);
    key[8] = '_';
    Longs.write(key, 9, sub);
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
    return Longs.read(key, 0);
  }

  /// The sub revision in a key.
  public static long sub(byte[] key) {
    return Longs.read(key, 9);
  }

  /// Whether the key is a deletion's.
  public static boolean isTombstone(byte[] key) {
    return key.length > BYTES;
  }
}
