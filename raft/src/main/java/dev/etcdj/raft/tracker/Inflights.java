package dev.etcdj.raft.tracker;

import dev.etcdj.raft.InvariantViolation;

/// The window of appends that were sent and not yet acknowledged (RAFT-56): a ring of the last
/// index and the payload bytes of each. Bounded by a count, and by bytes unless `maxBytes` is 0;
/// one append may exceed the bytes, so that a large one passes at all. The ring grows on demand,
/// because most followers never have more than a few in flight.
public final class Inflights {
  private static final int INITIAL_SLOTS = 8;

  private final int maxCount;
  private final long maxBytes;
  private long[] lastIndexes = new long[0];
  private long[] sizes = new long[0];
  private int head;
  private int count;
  private long bytes;

  public Inflights(int maxCount, long maxBytes) {
    this.maxCount = maxCount;
    this.maxBytes = maxBytes;
  }

  /// Takes a slot for an append that ends at `lastIndex`; indexes must not decrease.
  public void add(long lastIndex, long payloadBytes) {
    if (isFull()) {
      throw new InvariantViolation("append sent into a full window of " + count);
    }
    if (count == lastIndexes.length) {
      grow();
    }
    int slot = slot(count);
    lastIndexes[slot] = lastIndex;
    sizes[slot] = payloadBytes;
    count++;
    bytes += payloadBytes;
  }

  /// Frees every append that ends at or below `index`.
  public void freeThrough(long index) {
    while (count > 0 && lastIndexes[head] <= index) {
      bytes -= sizes[head];
      head = slot(1);
      count--;
    }
  }

  /// Whether nothing more may be sent.
  public boolean isFull() {
    return count == maxCount || (maxBytes != 0 && bytes >= maxBytes);
  }

  /// Appends in flight.
  public int count() {
    return count;
  }

  /// Payload bytes in flight.
  public long bytes() {
    return bytes;
  }

  /// Forgets everything in flight.
  public void clear() {
    head = 0;
    count = 0;
    bytes = 0;
  }

  private int slot(int offset) {
    int slot = head + offset;
    return slot >= lastIndexes.length ? slot - lastIndexes.length : slot;
  }

  private void grow() {
    int slots = Math.min(maxCount, Math.max(INITIAL_SLOTS, lastIndexes.length * 2));
    long[] grownIndexes = new long[slots];
    long[] grownSizes = new long[slots];
    for (int i = 0; i < count; i++) {
      int slot = slot(i);
      grownIndexes[i] = lastIndexes[slot];
      grownSizes[i] = sizes[slot];
    }
    lastIndexes = grownIndexes;
    sizes = grownSizes;
    head = 0;
  }
}
