package dev.etcdj.mvcc.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.Revision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The tree finds exactly the ranges that a walk over all of them finds (WATCH-17), through random
/// additions and removals.
class RangeTreeTest {
  @Test
  void findsWhatAListFinds() {
    Random random = new Random(11);
    RangeTree tree = new RangeTree();
    Map<KeyRange, WatcherSet> model = new TreeMap<>(KeyRange::order);
    for (int step = 0; step < 5_000; step++) {
      KeyRange range = KeyRange.of(key(random), random.nextInt(5) == 0 ? open() : key(random));
      if (random.nextInt(3) > 0) {
        model.put(range, tree.at(range));
      } else if (model.remove(range) != null) {
        tree.remove(range);
      }
      ByteString key = key(random);
      WatchEvent event =
          new WatchEvent(new Event(key, new Revision(2, 0), false, true, new byte[] {8, 1}));
      List<WatcherSet> found = new ArrayList<>();
      tree.collect(event, found);
      List<WatcherSet> expected = new ArrayList<>();
      model.forEach(
          (each, set) -> {
            if (each.contains(event)) {
              expected.add(set);
            }
          });
      assertEquals(expected.size(), found.size(), "step " + step);
      assertEquals(new HashSet<>(expected), new HashSet<>(found), "step " + step);
    }
  }

  private static ByteString open() {
    return ByteString.copyFrom(new byte[] {0});
  }

  private static ByteString key(Random random) {
    byte[] key = new byte[1 + random.nextInt(2)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(12) * 23);
    }
    return ByteString.copyFrom(key);
  }
}
