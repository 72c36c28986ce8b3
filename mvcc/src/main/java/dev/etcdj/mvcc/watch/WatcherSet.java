package dev.etcdj.mvcc.watch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Watchers of one and the same range. Removal moves the last one into the gap.
final class WatcherSet {
  private @Nullable Watcher[] items = new @Nullable Watcher[2];
  private int size;

  int size() {
    return size;
  }

  Watcher get(int index) {
    Watcher found = items[index];
    assert found != null;
    return found;
  }

  void add(Watcher watcher) {
    if (size == items.length) {
      items = Arrays.copyOf(items, size * 2);
    }
    watcher.slot = size;
    items[size++] = watcher;
  }

  void remove(Watcher watcher) {
    Watcher last = get(--size);
    assert items[watcher.slot] == watcher;
    items[watcher.slot] = last;
    last.slot = watcher.slot;
    items[size] = null;
    watcher.slot = -1;
    if (items.length > 16 && size < items.length / 4) {
      items = Arrays.copyOf(items, items.length / 2);
    }
  }
}
