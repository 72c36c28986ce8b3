package dev.etcdj.server.lease;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Leases by the time they are due: a binary heap whose members know their place, so that a
/// revoked one leaves in O(log n) and nothing dead is kept. Not thread-safe.
final class LeaseQueue {
  private @Nullable Lease[] heap = new Lease[64];
  private int size;

  @Nullable Lease first() {
    return size == 0 ? null : heap[0];
  }

  /// Adds `lease`, or moves it after its `dueNanos` changed.
  void put(Lease lease) {
    if (lease.position < 0) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, size * 2);
      }
      lease.position = size;
      heap[size++] = lease;
    }
    if (!up(lease)) {
      down(lease);
    }
  }

  void remove(Lease lease) {
    int hole = lease.position;
    if (hole < 0) {
      return;
    }
    lease.position = -1;
    Lease last = at(--size);
    heap[size] = null;
    if (last != lease) {
      last.position = hole;
      heap[hole] = last;
      if (!up(last)) {
        down(last);
      }
    }
  }

  void clear() {
    for (int i = 0; i < size; i++) {
      at(i).position = -1;
      heap[i] = null;
    }
    size = 0;
  }

  private boolean up(Lease lease) {
    int at = lease.position;
    boolean moved = false;
    while (at > 0 && before(lease, at(at - 1 >>> 1))) {
      at = swap(at, at - 1 >>> 1);
      moved = true;
    }
    return moved;
  }

  private void down(Lease lease) {
    int at = lease.position;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && before(at(child + 1), at(child))) {
        child++;
      }
      if (!before(at(child), lease)) {
        return;
      }
      at = swap(at, child);
    }
  }

  private int swap(int from, int to) {
    Lease a = at(from);
    Lease b = at(to);
    heap[to] = a;
    heap[from] = b;
    a.position = to;
    b.position = from;
    return to;
  }

  private static boolean before(Lease a, Lease b) {
    return a.dueNanos - b.dueNanos < 0;
  }

  private Lease at(int index) {
    Lease lease = heap[index];
    if (lease == null) {
      throw new IllegalStateException("hole at " + index);
    }
    return lease;
  }
}
