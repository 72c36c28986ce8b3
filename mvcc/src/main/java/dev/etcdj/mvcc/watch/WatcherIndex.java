package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Synced watchers by what they watch. Guarded by the hub's lock.
final class WatcherIndex {
  private final Map<ByteString, WatcherSet> byKey = new HashMap<>();
  private final RangeTree byRange = new RangeTree();
  private int size;

  int size() {
    return size;
  }

  void add(Watcher watcher) {
    assert !contains(watcher);
    setOf(watcher.range).add(watcher);
    size++;
  }

  boolean contains(Watcher watcher) {
    return watcher.slot >= 0;
  }

  void remove(Watcher watcher) {
    WatcherSet set = setOf(watcher.range);
    set.remove(watcher);
    size--;
    if (set.size() > 0) {
      return;
    }
    if (watcher.range.single) {
      byKey.remove(watcher.range.key);
    } else {
      byRange.remove(watcher.range);
    }
  }

  /// Adds to `into` all sets of watchers whose range holds the event's key.
  void collect(WatchEvent event, List<WatcherSet> into) {
    WatcherSet exact = byKey.get(event.key());
    if (exact != null) {
      into.add(exact);
    }
    byRange.collect(event, into);
  }

  /// A copy, for the rare work on all of them.
  List<Watcher> all() {
    List<WatcherSet> sets = new ArrayList<>(byKey.values());
    byRange.collectAll(sets);
    List<Watcher> watchers = new ArrayList<>(size);
    for (WatcherSet set : sets) {
      for (int i = 0; i < set.size(); i++) {
        watchers.add(set.get(i));
      }
    }
    return watchers;
  }

  private WatcherSet setOf(KeyRange range) {
    return range.single
        ? byKey.computeIfAbsent(range.key, key -> new WatcherSet())
        : byRange.at(range);
  }
}
