package dev.etcdj.mvcc.watch;

import java.util.ArrayList;
import java.util.List;

/// Gathers one catch-up response: whole revisions, up to a number of distinct ones (WATCH-46) and
/// a size that keeps an event loop's turn short.
final class Batch {
  private static final long MAX_BYTES = 128 << 10;

  private final Watcher watcher;
  private final int maxRevisions;
  private final long compacted;
  private final List<byte[]> wires = new ArrayList<>();
  private int revisions;
  private long bytes;
  private boolean lacksPrevious;

  /// @param compacted revision below which nothing can be read, previous values included
  Batch(Watcher watcher, int maxRevisions, long compacted) {
    this.watcher = watcher;
    this.maxRevisions = maxRevisions;
    this.compacted = compacted;
  }

  /// Adds what the watcher wants of `at`.
  ///
  /// @return false when nothing of `at` was taken: the batch is full, or a previous value must be
  ///     looked up first
  boolean take(RevisionEvents at) {
    if (revisions == maxRevisions || bytes >= MAX_BYTES) {
      return false;
    }
    int before = wires.size();
    for (WatchEvent event : at.events) {
      if (!watcher.wants(event)) {
        continue;
      }
      byte[] wire = watcher.prevKv ? event.knownWithPrevious() : event.wire();
      if (wire == null) {
        wires.subList(before, wires.size()).clear();
        lacksPrevious = true;
        return false;
      }
      if (watcher.prevKv && at.revision - 1 < compacted) {
        // It may have been looked up before it was compacted (WATCH-58).
        wire = event.wire();
      }
      wires.add(wire);
      bytes += wire.length;
    }
    if (wires.size() > before) {
      revisions++;
    }
    return true;
  }

  boolean isEmpty() {
    return wires.isEmpty();
  }

  boolean lacksPrevious() {
    return lacksPrevious;
  }

  List<byte[]> wires() {
    return wires;
  }
}
