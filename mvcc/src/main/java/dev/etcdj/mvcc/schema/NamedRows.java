package dev.etcdj.mvcc.schema;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Rows under names that a client chose, users and roles: a name may be longer than the 511 bytes
/// of a key. Only here is the layout not etcd's; whoever writes rows for etcd takes them from
/// [#forEach].
///
/// ```
/// up to 511 bytes: name                    → value
/// longer:          | 0xff | SHA-256, 32 |  → | name bytes 4, big-endian | name | value |
/// ```
///
/// Names are UTF-8, in which no byte is 0xff, so the two kinds cannot meet.
public final class NamedRows {
  private static final int MAX_KEY_BYTES = 511;
  private static final byte MARK = (byte) 0xff;
  private static final int DIGEST_KEY_BYTES = 33;

  private NamedRows() {}

  /// Sets the row of `name`, which is not empty. `value` is given away.
  public static void put(WriteUnit unit, Bucket bucket, ByteString name, byte[] value) {
    unit.put(bucket, key(name), name.size() > MAX_KEY_BYTES ? withName(name, value) : value);
  }

  /// Removes the row of `name`.
  public static void delete(WriteUnit unit, Bucket bucket, ByteString name) {
    unit.delete(bucket, key(name));
  }

  /// Value of the row of `name`, or null.
  public static byte @Nullable [] get(ReadView view, Bucket bucket, ByteString name) {
    byte[] key = key(name);
    byte[] value = view.get(bucket, key);
    return value == null ? null : value(key, value);
  }

  /// All rows, in order of their names; held in memory together, as there are few.
  public static void forEach(ReadView view, Bucket bucket, BiConsumer<ByteString, byte[]> row) {
    TreeMap<ByteString, byte[]> rows =
        new TreeMap<>(ByteString.unsignedLexicographicalComparator());
    view.scan(
        bucket,
        new byte[0],
        null,
        (key, value) -> {
          rows.put(name(key, value), value(key, value));
          return true;
        });
    rows.forEach(row);
  }

  private static byte[] key(ByteString name) {
    byte[] bytes = name.toByteArray();
    if (bytes.length <= MAX_KEY_BYTES) {
      return bytes;
    }
    byte[] key = new byte[DIGEST_KEY_BYTES];
    key[0] = MARK;
    System.arraycopy(sha256(bytes), 0, key, 1, DIGEST_KEY_BYTES - 1);
    return key;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private static byte[] withName(ByteString name, byte[] value) {
    int nameBytes = name.size();
    byte[] all = new byte[Integer.BYTES + nameBytes + value.length];
    for (int i = 0; i < Integer.BYTES; i++) {
      all[i] = (byte) (nameBytes >>> (24 - 8 * i));
    }
    name.copyTo(all, Integer.BYTES);
    System.arraycopy(value, 0, all, Integer.BYTES + nameBytes, value.length);
    return all;
  }

  private static ByteString name(byte[] key, byte[] value) {
    return key[0] == MARK
        ? ByteString.copyFrom(value, Integer.BYTES, nameBytes(value))
        : ByteString.copyFrom(key);
  }

  private static byte[] value(byte[] key, byte[] value) {
    return key[0] == MARK
        ? Arrays.copyOfRange(value, Integer.BYTES + nameBytes(value), value.length)
        : value;
  }

  private static int nameBytes(byte[] value) {
    int bytes = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes = bytes << 8 | (value[i] & 0xff);
    }
    return bytes;
  }
}
