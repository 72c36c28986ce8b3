package dev.etcdj.simulation.world;

import java.util.Arrays;

/// Virtual time and what is to happen in it. Things due at the same nanosecond happen in the order
/// in which they were put there.
///
/// A binary heap of its own: `PriorityQueue` asks `compareTo` through an interface, and that was a
/// tenth of a run.
public final class Timeline {
  private Moment[] heap = new Moment[256];
  private int size;
  private long now;
  private long sequence;

  /// Something to come.
  public static final class Moment {
    private final long at;
    private final long order;
    private Runnable what;

    private Moment(long at, long order, Runnable what) {
      this.at = at;
      this.order = order;
      this.what = what;
    }

    /// Lets it not happen.
    public void cancel() {
      what = null;
    }

    private boolean isBefore(Moment other) {
      return at != other.at ? at < other.at : order < other.order;
    }
  }

  /// Nanoseconds since the beginning.
  public long now() {
    return now;
  }

  /// Has `what` happen `delayNanos` from now.
  public Moment after(long delayNanos, Runnable what) {
    Moment moment = new Moment(now + Math.max(0, delayNanos), sequence++, what);
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    rise(moment, size++);
    return moment;
  }

  /// Moves to the next moment and lets it happen.
  ///
  /// @return false when nothing is left
  boolean step() {
    if (size == 0) {
      return false;
    }
    Moment next = heap[0];
    Moment last = heap[--size];
    heap[size] = null;
    if (size > 0) {
      sink(last);
    }
    now = next.at;
    Runnable what = next.what;
    if (what != null) {
      what.run();
    }
    return true;
  }

  private void rise(Moment moment, int from) {
    int at = from;
    while (at > 0) {
      int above = (at - 1) / 2;
      if (!moment.isBefore(heap[above])) {
        break;
      }
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = moment;
  }

  /// From the top.
  private void sink(Moment moment) {
    int at = 0;
    for (int below = 1; below < size; below = 2 * at + 1) {
      if (below + 1 < size && heap[below + 1].isBefore(heap[below])) {
        below++;
      }
      if (!heap[below].isBefore(moment)) {
        break;
      }
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = moment;
  }
}
