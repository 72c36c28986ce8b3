package dev.etcdj.simulation.world;

import java.util.PriorityQueue;

/// Virtual time and what is to happen in it. Things due at the same nanosecond happen in the order
/// in which they were put there.
public final class Timeline {
  private final PriorityQueue<Moment> moments = new PriorityQueue<>(256);
  private long now;
  private long sequence;

  /// Something to come.
  public static final class Moment implements Comparable<Moment> {
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

    @Override
    public int compareTo(Moment other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  /// Nanoseconds since the beginning.
  public long now() {
    return now;
  }

  /// Has `what` happen `delayNanos` from now.
  public Moment after(long delayNanos, Runnable what) {
    Moment moment = new Moment(now + Math.max(0, delayNanos), sequence++, what);
    moments.add(moment);
    return moment;
  }

  /// Moves to the next moment and lets it happen.
  ///
  /// @return false when nothing is left
  boolean step() {
    Moment next = moments.poll();
    if (next == null) {
      return false;
    }
    now = next.at;
    Runnable what = next.what;
    if (what != null) {
      what.run();
    }
    return true;
  }
}
