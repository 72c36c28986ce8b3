package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Leases for tests: granted ids, and where each key hangs.
final class MapLeaseBook implements LeaseBook {
  final Set<Long> granted = new TreeSet<>();
  final Map<ByteString, Long> leaseOf = new HashMap<>();

  @Override
  public boolean exists(long lease) {
    return granted.contains(lease);
  }

  @Override
  public void attach(ByteString key, long lease) {
    if (lease == 0) {
      leaseOf.remove(key);
    } else {
      leaseOf.put(key, lease);
    }
  }

  @Override
  public long leaseOf(ByteString key) {
    return leaseOf.getOrDefault(key, 0L);
  }

  /// Keys on `lease`, ascending.
  Set<ByteString> keysOf(long lease) {
    TreeMap<ByteString, Long> sorted =
        new TreeMap<>(ByteString.unsignedLexicographicalComparator());
    leaseOf.forEach(
        (key, of) -> {
          if (of == lease) {
            sorted.put(key, of);
          }
        });
    return sorted.keySet();
  }
}
