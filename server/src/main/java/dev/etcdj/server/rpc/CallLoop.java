package dev.etcdj.server.rpc;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Ticker;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The event loop that a call lives on. Everything a call does happens there, so its state needs
/// no locks; other threads bring results through a queue of which one wake-up drains all that has
/// gathered. Bounded by the calls themselves: each has at most one result under way.
final class CallLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CallLoop.class);

  // After a turn the loop looks at its sockets before the next. Left to itself Netty goes on with
  // tasks for a second, in which a few streams that always have something to send keep every other
  // call from being read.
  private static final int TASKS_PER_TURN = 256;
  private static final long NANOS_PER_TURN = 1_000_000;
  private static final int TASKS_PER_CLOCK_READING = 4;

  // Of the patient; what they cause, encoding aside, costs about as much again in flushes.
  private static final long PATIENT_NANOS_PER_TURN = 200_000;
  private static final int REST_PER_WORK = 10;

  private static final FastThreadLocal<CallLoop> CURRENT =
      new FastThreadLocal<>() {
        @Override
        protected CallLoop initialValue() {
          return new CallLoop(ThreadExecutorMap.currentExecutor());
        }
      };

  // Null outside an event loop, for transports without one: tasks run where they come from.
  private final @Nullable EventExecutor executor;
  private final Ticker clock;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  // The loop's own.
  private final Queue<Runnable> patient = new ArrayDeque<>();
  private boolean patientScheduled;

  private CallLoop(@Nullable EventExecutor executor) {
    this.executor = executor;
    this.clock = executor == null ? Ticker.systemTicker() : executor.ticker();
  }

  /// The loop of the current thread.
  static CallLoop current() {
    return CURRENT.get();
  }

  /// Runs `task` on the loop: at once when called there. Any thread.
  void execute(Runnable task) {
    if (executor == null || executor.inEventLoop()) {
      runSafely(task);
      return;
    }
    enqueue(task);
  }

  /// Runs `task` on the loop, never before this returns there.
  void enqueue(Runnable task) {
    tasks.add(task);
    schedule();
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      if (executor == null) {
        run();
      } else {
        executor.execute(this);
      }
    }
  }

  /// A turn. What tasks add meanwhile belongs to it, or to the next one.
  @Override
  public void run() {
    long began = clock.nanoTime();
    for (int i = 1; i <= TASKS_PER_TURN; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        break;
      }
      runSafely(task);
      if (i % TASKS_PER_CLOCK_READING == 0 && clock.nanoTime() - began > NANOS_PER_TURN) {
        break;
      }
    }
    // First: what is added from here on schedules a turn of its own, or is seen below.
    scheduled.set(false);
    if (!tasks.isEmpty() && scheduled.compareAndSet(false, true)) {
      scheduleAfterSockets();
    }
  }

  /// A task that is due comes after the sockets, one that is executed before them.
  private void scheduleAfterSockets() {
    if (executor == null) {
      run();
    } else {
      executor.schedule(this, 1, TimeUnit.NANOSECONDS);
    }
  }

  /// Runs `task` when its turn comes among work that can wait: the loop does a little of it at a
  /// time and rests from it in between, so that it takes a share of the machine however much there
  /// is. On the loop only. Bounded by the calls: each has one task here at most.
  void enqueuePatient(Runnable task) {
    if (executor == null) {
      enqueue(task);
      return;
    }
    patient.add(task);
    schedulePatient(1);
  }

  private void schedulePatient(long delayNanos) {
    if (!patientScheduled && executor != null) {
      patientScheduled = true;
      executor.schedule(this::runPatient, delayNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void runPatient() {
    long began = clock.nanoTime();
    long spent = 0;
    while (spent < PATIENT_NANOS_PER_TURN) {
      Runnable task = patient.poll();
      if (task == null) {
        break;
      }
      runSafely(task);
      spent = clock.nanoTime() - began;
    }
    patientScheduled = false;
    if (!patient.isEmpty()) {
      schedulePatient(REST_PER_WORK * spent);
    }
  }

  private static void runSafely(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("a call failed", e);
    }
  }
}
