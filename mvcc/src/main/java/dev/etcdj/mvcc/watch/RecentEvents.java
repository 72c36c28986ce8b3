package dev.etcdj.mvcc.watch;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// The last revisions, contiguous, bounded by count and bytes; the oldest make room. One writer at
/// a time (under the hub's lock), any number of readers without locks: a reader finds its revision
/// or learns that it is gone.
final class RecentEvents {
  private final AtomicReferenceArray<@Nullable RevisionEvents> slots;
  private final long maxBytes;

  /// Also charged by readers that look previous values up.
  private final AtomicLong bytes = new AtomicLong();

  /// Kept: first ≤ revision < next.
  private long first;

  private long next;

  RecentEvents(int maxRevisions, long maxBytes) {
    this.slots = new AtomicReferenceArray<>(maxRevisions);
    this.maxBytes = maxBytes;
  }

  @Nullable RevisionEvents get(long revision) {
    RevisionEvents found = slots.get(slot(revision));
    return found != null && found.revision == revision ? found : null;
  }

  /// Appends. The newest always stays, however large. A jump in revisions empties the ring first.
  void add(RevisionEvents events) {
    if (events.revision != next) {
      clear();
      first = events.revision;
    }
    if (events.revision - first == slots.length()) {
      dropFirst();
    }
    slots.set(slot(events.revision), events);
    next = events.revision + 1;
    bytes.addAndGet(events.weight());
    while (bytes.get() > maxBytes && next - first > 1) {
      dropFirst();
    }
  }

  /// Accounts for what an event in the ring grew by.
  void charge(long grownBytes) {
    if (grownBytes > 0) {
      bytes.addAndGet(grownBytes);
    }
  }

  /// Wire form of an event with prev_kv, looked up once for all that ask.
  byte[] wireWithPrevious(WatchEvent event, WatchEvent.Values values) {
    charge(event.resolvePrevious(values));
    byte[] known = event.knownWithPrevious();
    return known != null ? known : event.encodeWithPrevious(values);
  }

  void clear() {
    while (first < next) {
      dropFirst();
    }
  }

  long bytes() {
    return bytes.get();
  }

  private void dropFirst() {
    RevisionEvents gone = slots.getAndSet(slot(first), null);
    assert gone != null && gone.revision == first;
    long freed = gone.weight();
    for (WatchEvent event : gone.events) {
      freed += event.forget();
    }
    bytes.addAndGet(-freed);
    first++;
  }

  private int slot(long revision) {
    return (int) (revision % slots.length());
  }
}
