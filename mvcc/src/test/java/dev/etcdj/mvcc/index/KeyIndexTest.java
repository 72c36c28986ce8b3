package dev.etcdj.mvcc.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Guarantee: the index tells of every key and revision what a list of all changes tells, in views
/// taken at any time, whatever is written or pruned later.
///
/// Method: random changes to the index and to a model, a sorted map of key → changes; views are
/// kept and compared with the model as it was. Replay: the seed is the parameter.
class KeyIndexTest {

  private record Change(long main, int sub, long create, long version) {}

  private static final Change NEVER = new Change(0, 0, 0, 0);

  private final TreeMap<byte[], List<Change>> model = new TreeMap<>(Arrays::compareUnsigned);
  private final Map<Integer, byte[]> pool = new HashMap<>();
  private final KeyIndex index = new KeyIndex();
  private long main = 1;
  private long pruned = -1;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void tellsWhatTheChangesTell(long seed) {
    Random random = new Random(seed);
    int keys = seed % 2 == 0 ? 40 : 4000;
    int longest = seed % 3 == 0 ? 3000 : 12;
    List<Snapshot> snapshots = new ArrayList<>();
    for (int round = 0; round < 250; round++) {
      main++;
      int writes = random.nextInt(20) == 0 ? 600 : 1 + random.nextInt(4);
      for (int sub = 0; sub < writes; sub++) {
        change(random, key(random, keys, longest), sub);
      }
      if (random.nextInt(20) == 0) {
        prune(pruned + random.nextLong(main - pruned + 1), random);
      }
      IndexView view = index.freeze();
      if (round % 8 == 0) {
        TreeCheck.of(view);
      }
      verify(random, view, model, keys, longest);
      if (random.nextInt(40) == 0) {
        snapshots.add(new Snapshot(view, copyOf(model), pruned, main));
      }
    }
    for (Snapshot old : snapshots) {
      main = old.main;
      pruned = old.pruned;
      verify(random, old.view, old.model, keys, longest);
    }
    assertTrue(snapshots.size() > 1, snapshots.size() + " snapshots");
  }

  private record Snapshot(
      IndexView view, TreeMap<byte[], List<Change>> model, long pruned, long main) {}

  @Test
  void emptiesAndFillsAgain() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 10_000; i++) {
        index.put(("key" + i).getBytes(StandardCharsets.US_ASCII), ++main, 0);
      }
      assertEquals(10_000, index.freeze().liveCount());
      for (int i = 0; i < 10_000; i++) {
        assertTrue(index.delete(("key" + i).getBytes(StandardCharsets.US_ASCII), ++main, 0));
        assertFalse(index.delete(("key" + i).getBytes(StandardCharsets.US_ASCII), main, 0));
      }
      index.beginPrune(main);
      while (index.pruneStep(3)) {
        // Until the pass is over.
      }
      IndexView view = index.freeze();
      assertEquals(0, view.liveCount());
      assertEquals(0, TreeCheck.of(view).keys);
      assertEquals(0, view.count(KeyRange.all(), main - 1), "pruned");
    }
  }

  private void change(Random random, byte[] key, int sub) {
    List<Change> changes = model.getOrDefault(key, new ArrayList<>());
    Change last = changes.isEmpty() ? NEVER : changes.getLast();
    boolean live = last.version > 0;
    if (random.nextInt(3) == 0) {
      assertEquals(live, index.delete(key, main, sub));
      if (live) {
        changes.add(new Change(main, sub, 0, 0));
      }
      return;
    }
    Change next =
        live
            ? new Change(main, sub, last.create, last.version + 1)
            : new Change(main, sub, main, 1);
    KeyIndex.Put put = index.put(key, main, sub);
    assertEquals(next.create, put.create());
    assertEquals(next.version, put.version());
    assertEquals(!live, put.created());
    assertEquals(live ? last.main : 0, put.previousMain());
    assertEquals(live ? last.sub : 0, put.previousSub());
    changes.add(next);
    model.put(key, changes);
  }

  private void prune(long revision, Random random) {
    pruned = Math.max(pruned, revision);
    index.beginPrune(pruned);
    while (index.pruneStep(1 + random.nextInt(20))) {
      index.freeze();
    }
    TreeCheck left = TreeCheck.of(index.working());
    assertEquals(model.values().stream().filter(this::isKept).count(), left.keys);
    assertEquals(model.values().stream().mapToInt(this::keptHistory).sum(), left.historyRows);
  }

  private boolean isKept(List<Change> changes) {
    return changes.getLast().version > 0 || changes.getLast().main > pruned;
  }

  /// Superseded changes that a read at `pruned` or later may show, or that end what it shows.
  private int keptHistory(List<Change> changes) {
    int kept = 0;
    for (int i = 0; i + 1 < changes.size(); i++) {
      boolean shown = changes.get(i).version > 0 && changes.get(i + 1).main > pruned;
      kept += changes.get(i).main > pruned || shown ? 1 : 0;
    }
    return kept;
  }

  private void verify(
      Random random,
      IndexView view,
      NavigableMap<byte[], List<Change>> changes,
      int keys,
      int longest) {
    long revision =
        random.nextBoolean()
            ? IndexView.NEWEST
            : Math.max(pruned, 0) + random.nextLong(main - Math.max(pruned, 0) + 1);
    byte[] a = key(random, keys, longest);
    byte[] b = key(random, keys, longest);
    KeyRange range =
        switch (random.nextInt(4)) {
          case 0 -> KeyRange.of(ByteString.copyFrom(a), ByteString.EMPTY);
          case 1 -> KeyRange.of(ByteString.copyFrom(a), ByteString.copyFrom(new byte[1]));
          case 2 -> KeyRange.all();
          default -> KeyRange.of(ByteString.copyFrom(a), ByteString.copyFrom(b));
        };
    List<String> expected = new ArrayList<>();
    for (Map.Entry<byte[], List<Change>> entry : changes.entrySet()) {
      Change seen = seen(entry.getValue(), revision);
      if (range.contains(entry.getKey()) && seen.version > 0) {
        expected.add(show(entry.getKey(), seen));
      }
    }
    List<String> actual = new ArrayList<>();
    view.scan(range, revision, hit -> actual.add(show(hit)));
    assertEquals(expected, actual, () -> "at revision " + revision);
    assertEquals(expected.size(), view.count(range, revision));
    if (!expected.isEmpty()) {
      int limit = 1 + random.nextInt(expected.size());
      List<String> first = new ArrayList<>();
      view.scan(
          range,
          revision,
          hit -> {
            first.add(show(hit));
            return first.size() < limit;
          });
      assertEquals(expected.subList(0, limit), first);
    }
    Hit hit = new Hit();
    Change seen = seen(changes.getOrDefault(a, List.of()), revision);
    boolean exists = seen.version > 0;
    assertEquals(exists, view.find(a, revision, hit));
    if (exists) {
      assertEquals(show(a, seen), show(hit.copy()));
    }
  }

  private static Change seen(List<Change> changes, long revision) {
    Change seen = NEVER;
    for (Change change : changes) {
      if (change.main <= revision) {
        seen = change;
      }
    }
    return seen;
  }

  private static TreeMap<byte[], List<Change>> copyOf(TreeMap<byte[], List<Change>> source) {
    TreeMap<byte[], List<Change>> copy = new TreeMap<>(Arrays::compareUnsigned);
    source.forEach((key, changes) -> copy.put(key, List.copyOf(changes)));
    return copy;
  }

  private byte[] key(Random random, int keys, int longest) {
    return pool.computeIfAbsent(
        random.nextInt(keys),
        number -> {
          byte[] key = new byte[1 + number * 7919 % longest];
          new Random(number).nextBytes(key);
          return key;
        });
  }

  private static String show(byte[] key, Change change) {
    return Arrays.hashCode(key)
        + "@"
        + change.main
        + "_"
        + change.sub
        + " "
        + change.create
        + "v"
        + change.version;
  }

  private static String show(Hit hit) {
    return show(hit.key(), new Change(hit.modMain(), hit.modSub(), hit.create(), hit.version()));
  }
}
