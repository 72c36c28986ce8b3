package dev.etcdj.mvcc.watch;

import org.jspecify.annotations.Nullable;

/// First in, first out, linked through the watchers themselves: nothing to allocate, nothing to
/// outgrow. The stream's owner only.
final class WatcherQueue {
  private @Nullable Watcher head;
  private @Nullable Watcher tail;

  boolean isEmpty() {
    return head == null;
  }

  @Nullable Watcher peek() {
    return head;
  }

  void add(Watcher watcher) {
    watcher.link = null;
    if (tail == null) {
      head = watcher;
    } else {
      tail.link = watcher;
    }
    tail = watcher;
  }

  @Nullable Watcher poll() {
    Watcher first = head;
    if (first != null) {
      head = first.link;
      first.link = null;
      if (head == null) {
        tail = null;
      }
    }
    return first;
  }

  /// Appends all of `other`, which is empty afterwards.
  void addAll(WatcherQueue other) {
    for (Watcher each = other.poll(); each != null; each = other.poll()) {
      add(each);
    }
  }

  void clear() {
    while (poll() != null) {
      // unlinks, so that no watcher keeps the rest alive
    }
  }
}
