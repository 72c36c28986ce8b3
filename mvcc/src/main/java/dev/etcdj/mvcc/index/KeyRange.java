package dev.etcdj.mvcc.index;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One key, or the keys from `from` up to and without `to` (KV-32..34). Shares its arrays: read
/// only.
public final class KeyRange {
  private final byte[] from;
  private final byte @Nullable [] to;
  private final boolean single;

  private KeyRange(byte[] from, byte @Nullable [] to, boolean single) {
    this.from = from;
    this.to = to;
    this.single = single;
  }

  /// From the wire: an empty end means `key` alone, one zero byte means to the end.
  public static KeyRange of(ByteString key, ByteString rangeEnd) {
    byte[] from = key.toByteArray();
    if (rangeEnd.isEmpty()) {
      return new KeyRange(from, null, true);
    }
    boolean open = rangeEnd.size() == 1 && rangeEnd.byteAt(0) == 0;
    return new KeyRange(from, open ? null : rangeEnd.toByteArray(), false);
  }

  /// Every key.
  public static KeyRange all() {
    return new KeyRange(new byte[0], null, false);
  }

  /// The part of this range that lies behind `key`.
  public KeyRange after(byte[] key) {
    return new KeyRange(Arrays.copyOf(key, key.length + 1), to, false);
  }

  public byte[] from() {
    return from;
  }

  /// End, not included; null for none, and for a single key.
  public byte @Nullable [] to() {
    return to;
  }

  public boolean single() {
    return single;
  }

  /// Whether `key` lies in it.
  public boolean contains(byte[] key) {
    if (single) {
      return Arrays.equals(from, key);
    }
    return Arrays.compareUnsigned(from, key) <= 0
        && (to == null || Arrays.compareUnsigned(key, to) < 0);
  }
}
