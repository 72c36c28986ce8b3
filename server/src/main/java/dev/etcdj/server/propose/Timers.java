package dev.etcdj.server.propose;

import dev.etcdj.server.agent.Agent;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Deadlines of the request paths: runs short tasks at or after their time, on one thread. What
/// needs a deadline per request sweeps its own requests from one recurring task, so the number of
/// tasks here stays small.
public final class Timers implements Agent {
  private static final int TASKS_PER_TURN = 64;

  private final LongSupplier nanoClock;
  private final Runnable wake;
  // Guarded by itself.
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long sequence;

  /// @param wake makes the runner look at [#nanosUntilDue] again
  public Timers(LongSupplier nanoClock, Runnable wake) {
    this.nanoClock = nanoClock;
    this.wake = wake;
  }

  /// Something scheduled.
  public interface Handle {
    /// Takes it back; one that runs already is not interrupted.
    void cancel();
  }

  /// Runs `task` once, `delayNanos` from now. Any thread.
  public Handle after(long delayNanos, Runnable task) {
    return add(delayNanos, 0, task);
  }

  /// Runs `task` every `periodNanos`, first a period from now. Any thread.
  public Handle every(long periodNanos, Runnable task) {
    return add(periodNanos, periodNanos, task);
  }

  private Handle add(long delayNanos, long periodNanos, Runnable run) {
    boolean first;
    Task task;
    synchronized (tasks) {
      task = new Task(nanoClock.getAsLong() + delayNanos, periodNanos, run, sequence++);
      tasks.add(task);
      first = tasks.peek() == task;
    }
    if (first) {
      wake.run();
    }
    return task;
  }

  @Override
  public String name() {
    return "timers";
  }

  @Override
  public boolean doWork() {
    int ran = 0;
    while (ran < TASKS_PER_TURN) {
      Task due = takeDue();
      if (due == null) {
        break;
      }
      due.run.run();
      ran++;
    }
    return ran > 0;
  }

  private @Nullable Task takeDue() {
    synchronized (tasks) {
      long now = nanoClock.getAsLong();
      Task head = tasks.peek();
      if (head == null || head.dueNanos - now > 0) {
        return null;
      }
      tasks.poll();
      if (head.periodNanos > 0) {
        // From now, not from when it was due: after a pause one run is enough.
        head.dueNanos = now + head.periodNanos;
        tasks.add(head);
      }
      return head;
    }
  }

  @Override
  public long nanosUntilDue() {
    synchronized (tasks) {
      Task head = tasks.peek();
      return head == null ? Long.MAX_VALUE : Math.max(0, head.dueNanos - nanoClock.getAsLong());
    }
  }

  private final class Task implements Handle, Comparable<Task> {
    private long dueNanos;
    private final long periodNanos;
    private final Runnable run;
    private final long order;

    private Task(long dueNanos, long periodNanos, Runnable run, long order) {
      this.dueNanos = dueNanos;
      this.periodNanos = periodNanos;
      this.run = run;
      this.order = order;
    }

    @Override
    public int compareTo(Task other) {
      int byTime = Long.signum(dueNanos - other.dueNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }

    @Override
    public void cancel() {
      synchronized (tasks) {
        tasks.remove(this);
      }
    }
  }
}
