package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The keys a watcher asks for: one key, [start, end), or everything from start on (WATCH-17).
final class KeyRange {
  final ByteString key;
  final boolean single;
  final byte[] start;

  /// Exclusive; null for "no end" (and unused for a single key).
  final byte @Nullable [] end;

  private KeyRange(ByteString key, boolean single, byte @Nullable [] end) {
    this.key = key;
    this.single = single;
    this.start = key.toByteArray();
    this.end = end;
  }

  /// @param rangeEnd as in [dev.etcdj.mvcc.RangeQuery]
  static KeyRange of(ByteString key, ByteString rangeEnd) {
    if (rangeEnd.isEmpty()) {
      return new KeyRange(key, true, null);
    }
    boolean open = rangeEnd.size() == 1 && rangeEnd.byteAt(0) == 0;
    return new KeyRange(key, false, open ? null : rangeEnd.toByteArray());
  }

  /// Whether no key can ever be inside (WATCH-16).
  boolean isEmpty() {
    return !single && end != null && Arrays.compareUnsigned(start, end) >= 0;
  }

  boolean contains(WatchEvent event) {
    return single ? key.equals(event.key()) : event.compareKey(start) >= 0 && event.isBelow(end);
  }

  /// Order of the range tree: by start, then by end, "no end" last.
  int order(KeyRange other) {
    int byStart = Arrays.compareUnsigned(start, other.start);
    return byStart != 0 ? byStart : compareEnds(end, other.end);
  }

  static int compareEnds(byte @Nullable [] a, byte @Nullable [] b) {
    if (a == null) {
      return b == null ? 0 : 1;
    }
    if (b == null) {
      return -1;
    }
    return Arrays.compareUnsigned(a, b);
  }
}
