package dev.etcdj.server.rpc;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.TreeMap;

/// A set of keys made of half-open ranges; overlapping ones are merged, so that looking a key up
/// costs O(log n) however many were added. Here a range end of one zero byte means just that, not
/// "no end": the range is empty then (KV-77).
final class KeyRanges {
  // End by start; ranges neither overlap nor touch.
  private final TreeMap<ByteString, ByteString> endByStart = new TreeMap<>(KeyRanges::compare);

  /// Adds [key, end), or `key` alone when `end` is empty.
  void add(ByteString key, ByteString end) {
    ByteString start = key;
    ByteString stop = end.isEmpty() ? after(key) : end;
    if (compare(start, stop) >= 0) {
      return;
    }
    Map.Entry<ByteString, ByteString> left = endByStart.floorEntry(start);
    if (left != null && compare(left.getValue(), start) >= 0) {
      start = left.getKey();
      stop = max(stop, left.getValue());
    }
    for (var next = endByStart.ceilingEntry(start);
        next != null && compare(next.getKey(), stop) <= 0;
        next = endByStart.ceilingEntry(start)) {
      stop = max(stop, next.getValue());
      endByStart.remove(next.getKey());
    }
    endByStart.put(start, stop);
  }

  void addAll(KeyRanges other) {
    other.endByStart.forEach(this::add);
  }

  boolean contain(ByteString key) {
    if (endByStart.isEmpty()) {
      return false;
    }
    Map.Entry<ByteString, ByteString> left = endByStart.floorEntry(key);
    return left != null && compare(key, left.getValue()) < 0;
  }

  private static ByteString max(ByteString a, ByteString b) {
    return compare(a, b) >= 0 ? a : b;
  }

  /// The least key after `key`.
  static ByteString after(ByteString key) {
    byte[] next = new byte[key.size() + 1];
    key.copyTo(next, 0);
    return ByteString.copyFrom(next);
  }

  /// As unsigned bytes (KV-7).
  static int compare(ByteString a, ByteString b) {
    int length = Math.min(a.size(), b.size());
    for (int i = 0; i < length; i++) {
      int byByte = (a.byteAt(i) & 0xff) - (b.byteAt(i) & 0xff);
      if (byByte != 0) {
        return byByte;
      }
    }
    return a.size() - b.size();
  }
}
