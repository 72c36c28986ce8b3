package dev.etcdj.client.kv;

import com.google.protobuf.ByteString;

/// Which keys a request is about.
///
/// @param key first key
/// @param end first key behind the range; empty: `key` alone; the single byte 0: no end (KV-32..34)
public record KeyRange(ByteString key, ByteString end) {
  private static final ByteString ZERO = ByteString.copyFrom(new byte[] {0});

  /// One key.
  public static KeyRange single(ByteString key) {
    return new KeyRange(key, ByteString.EMPTY);
  }

  /// `key` up to, not including, `end`.
  public static KeyRange of(ByteString key, ByteString end) {
    return new KeyRange(key, end);
  }

  /// `key` and all keys behind it; an empty key means every key.
  public static KeyRange from(ByteString key) {
    return new KeyRange(key.isEmpty() ? ZERO : key, ZERO);
  }

  /// All keys that begin with `prefix`; an empty prefix means every key.
  public static KeyRange prefix(ByteString prefix) {
    if (prefix.isEmpty()) {
      return all();
    }
    return new KeyRange(prefix, behindPrefix(prefix));
  }

  /// Every key.
  public static KeyRange all() {
    return new KeyRange(ZERO, ZERO);
  }

  /// The smallest key behind all keys with this prefix. There is none when every byte is 0xff.
  private static ByteString behindPrefix(ByteString prefix) {
    for (int i = prefix.size() - 1; i >= 0; i--) {
      byte last = prefix.byteAt(i);
      if (last != (byte) 0xff) {
        byte[] end = prefix.substring(0, i + 1).toByteArray();
        end[i] = (byte) (last + 1);
        return ByteString.copyFrom(end);
      }
    }
    return ZERO;
  }
}
