package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Keys that the operations seen so far have deleted and not put again. O(log n) an operation, so
/// that a transaction of thousands cannot hold up the apply loop.
final class DeletedKeys {
  /// Start → end of disjoint ranges; an absent end is the end of all keys.
  private final TreeMap<byte[], End> ranges = new TreeMap<>(Arrays::compareUnsigned);

  private final TreeSet<byte[]> putAgain = new TreeSet<>(Arrays::compareUnsigned);

  private record End(byte @Nullable [] key) {
    boolean isBefore(byte[] other) {
      return key != null && Arrays.compareUnsigned(key, other) < 0;
    }

    End max(End other) {
      return key == null || (other.key != null && !isBefore(other.key)) ? this : other;
    }
  }

  void delete(ByteString key, ByteString rangeEnd) {
    byte[] from = key.toByteArray();
    End end = end(from, rangeEnd);
    if (end.key != null && Arrays.compareUnsigned(end.key, from) <= 0) {
      return;
    }
    (end.key == null ? putAgain.tailSet(from) : putAgain.subSet(from, end.key)).clear();
    Map.Entry<byte[], End> before = ranges.floorEntry(from);
    if (before != null && !before.getValue().isBefore(from)) {
      from = before.getKey();
      end = end.max(before.getValue());
    }
    for (Map.Entry<byte[], End> next = ranges.ceilingEntry(from);
        next != null && !end.isBefore(next.getKey());
        next = ranges.ceilingEntry(from)) {
      end = end.max(next.getValue());
      ranges.remove(next.getKey());
    }
    ranges.put(from, end);
  }

  void put(ByteString key) {
    putAgain.add(key.toByteArray());
  }

  boolean contains(ByteString key) {
    byte[] bytes = key.toByteArray();
    Map.Entry<byte[], End> range = ranges.floorEntry(bytes);
    return range != null
        && (range.getValue().key == null || Arrays.compareUnsigned(bytes, range.getValue().key) < 0)
        && !putAgain.contains(bytes);
  }

  private static End end(byte[] from, ByteString rangeEnd) {
    if (rangeEnd.isEmpty()) {
      return new End(Arrays.copyOf(from, from.length + 1));
    }
    boolean open = rangeEnd.size() == 1 && rangeEnd.byteAt(0) == 0;
    return new End(open ? null : rangeEnd.toByteArray());
  }
}
