package dev.etcdj.raft.log;

import java.util.List;

/// A growing run of entries with consecutive indexes, kept in one array: appended at the end,
/// dropped at the front, both in amortised constant time. Not thread-safe.
///
/// Slots are written once. Replacing entries or making room moves what stays to a new array, so
/// that a slice given out earlier keeps its contents.
final class EntryBuffer {
  private static final Entry[] NONE = new Entry[0];
  private static final int MIN_SLOTS = 16;

  private Entry[] slots = NONE;
  private int head;
  private int tail;
  private long first;

  EntryBuffer(long first) {
    this.first = first;
  }

  /// Index of the first entry, or of the one that would come first.
  long first() {
    return first;
  }

  /// Index after the last entry.
  long end() {
    return first + (tail - head);
  }

  boolean isEmpty() {
    return head == tail;
  }

  /// The entry at `index`, which must be present.
  Entry get(long index) {
    return slots[slot(index)];
  }

  /// Adds the entry that follows the last one.
  void append(Entry entry) {
    reserve(1);
    slots[tail++] = entry;
  }

  /// Adds `entries.subList(from, size)`, which follow the last one.
  void append(List<Entry> entries, int from) {
    int count = entries.size();
    reserve(count - from);
    for (int i = from; i < count; i++) {
      slots[tail++] = entries.get(i);
    }
  }

  /// Drops everything from `index` on; first ≤ index.
  void truncateFrom(long index) {
    if (index < end()) {
      move(slot(index), MIN_SLOTS);
    }
  }

  /// Drops everything below `index`; index ≤ end.
  void dropBelow(long index) {
    if (index <= first) {
      return;
    }
    head += (int) (index - first);
    first = index;
    if (isEmpty()) {
      slots = NONE;
      head = 0;
      tail = 0;
    } else if (head > (tail - head) / 4) {
      // What is dropped stays reachable until the array is left behind; a quarter is the most.
      move(tail, tail - head);
    }
  }

  /// Forgets everything; the next entry has index `index`.
  void reset(long index) {
    slots = NONE;
    head = 0;
    tail = 0;
    first = index;
  }

  /// Entries from ≤ index < to, all present.
  List<Entry> slice(long from, long to) {
    return from == to ? List.of() : new LogSlice(slots, slot(from), slot(to));
  }

  /// As [#slice(long, long)], cut after `maxBytes` but with at least one entry if there is any.
  List<Entry> slice(long from, long to, long maxBytes) {
    if (from == to) {
      return List.of();
    }
    int start = slot(from);
    int limit = slot(to);
    int stop = start + 1;
    long bytes = slots[start].size();
    for (; stop < limit; stop++) {
      bytes += slots[stop].size();
      if (bytes > maxBytes) {
        break;
      }
    }
    return new LogSlice(slots, start, stop);
  }

  private int slot(long index) {
    return head + (int) (index - first);
  }

  private void reserve(int count) {
    if (tail + count > slots.length) {
      int live = tail - head;
      move(tail, Math.max(MIN_SLOTS, live + Math.max(live, count)) - live);
    }
  }

  private void move(int newTail, int room) {
    int live = newTail - head;
    Entry[] moved = new Entry[live + room];
    System.arraycopy(slots, head, moved, 0, live);
    slots = moved;
    head = 0;
    tail = live;
  }
}
