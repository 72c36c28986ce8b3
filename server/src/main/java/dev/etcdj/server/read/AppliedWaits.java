package dev.etcdj.server.read;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What waits for an entry to be applied. Costs the apply loop one volatile read per advance while
/// nothing waits. As many waits as there are callers; each caller is bounded by itself.
public final class AppliedWaits {
  private static final long NONE = Long.MAX_VALUE;

  private record Wait(long index, Runnable ready) {}

  private final LongSupplier appliedIndex;
  // Guarded by itself.
  private final PriorityQueue<Wait> waits =
      new PriorityQueue<>((a, b) -> Long.compare(a.index, b.index));
  // Lowest awaited index. Written under the lock, read by the apply loop without it. A waiter
  // writes it before it looks at the applied index, apply moves the index before it looks here:
  // one of the two sees the other.
  private volatile long lowest = NONE;

  public AppliedWaits(LongSupplier appliedIndex) {
    this.appliedIndex = appliedIndex;
  }

  /// Runs `ready` once applied ≥ `index`: now on this thread, or later on the apply loop.
  public void await(long index, Runnable ready) {
    if (appliedIndex.getAsLong() < index) {
      synchronized (waits) {
        waits.add(new Wait(index, ready));
        lowest = Math.min(lowest, index);
      }
      applied(appliedIndex.getAsLong());
    } else {
      ready.run();
    }
  }

  /// Takes note that everything up to `index` is applied. The apply loop's listener.
  public void applied(long index) {
    if (lowest > index) {
      return;
    }
    List<Runnable> ready = new ArrayList<>();
    synchronized (waits) {
      @Nullable Wait first = waits.peek();
      while (first != null && first.index <= index) {
        waits.poll();
        ready.add(first.ready);
        first = waits.peek();
      }
      lowest = first == null ? NONE : first.index;
    }
    ready.forEach(Runnable::run);
  }
}
