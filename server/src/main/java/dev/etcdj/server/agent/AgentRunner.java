package dev.etcdj.server.agent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// Drives one [Agent] on a platform thread of its own. Sleeps while the agent has nothing to do;
/// [#wake] costs a system call only when the thread really sleeps. Meanwhile another thread may do
/// the agent's work as a visitor ([#visit]).
///
/// Invariant: at most one thread is inside the agent; what one did there, the next one sees.
public final class AgentRunner implements AutoCloseable {
  /// Its thread is in the agent, or about to look.
  private static final int RUNNING = 0;

  /// Like [#RUNNING], and there may be work that it has not seen.
  private static final int WOKEN = 1;

  private static final int PARKED = 2;

  /// A visitor is in the agent.
  private static final int VISITED = 3;

  /// Like [#VISITED], and there may be work that the visitor has not seen.
  private static final int VISITED_AND_WOKEN = 4;

  private static final int MAX_VISITOR_TURNS = 4;

  /// The agent and this read the clock one after the other, so one moment comes out as two.
  private static final long CLOCK_SLACK_NANOS = 100_000;

  private final Agent agent;
  private final Consumer<Throwable> onFailure;
  private final Thread thread;
  private final AtomicInteger state = new AtomicInteger(RUNNING);
  // Written by close() and by a failed visitor, read by the agent's thread and by visitors.
  private volatile boolean closing;
  // Written by the agent's thread, read by visitors.
  private volatile boolean waitsForVisitor;
  private volatile long parkedUntilNanos;

  /// @param onFailure receives what `doWork` threw; the thread has ended by then
  public AgentRunner(Agent agent, Consumer<Throwable> onFailure) {
    this.agent = agent;
    this.onFailure = onFailure;
    this.thread = Thread.ofPlatform().name(agent.name()).daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  /// Makes the agent look for work. Any thread; never blocks.
  public void wake() {
    while (true) {
      int now = state.get();
      switch (now) {
        case WOKEN, VISITED_AND_WOKEN -> {
          return;
        }
        case VISITED -> {
          if (state.compareAndSet(VISITED, VISITED_AND_WOKEN)) {
            return;
          }
        }
        default -> {
          if (state.compareAndSet(now, WOKEN)) {
            if (now == PARKED) {
              LockSupport.unpark(thread);
            }
            return;
          }
        }
      }
    }
  }

  /// Does a few turns of the agent's work on the calling thread if the agent's own sleeps, else
  /// wakes it: for small work this spares two switches between threads. Any thread but the agent's.
  public void visit() {
    if (!state.compareAndSet(PARKED, VISITED)) {
      wake();
      return;
    }
    boolean more = true;
    try {
      for (int turn = 0; more && !closing && turn < MAX_VISITOR_TURNS; turn++) {
        // What another thread has brought meanwhile is done here too.
        more = agent.doWork() || state.compareAndSet(VISITED_AND_WOKEN, VISITED);
      }
    } catch (Throwable failure) {
      closing = true;
      onFailure.accept(failure);
    }
    if (more || closing || isDueSooner() || !state.compareAndSet(VISITED, PARKED)) {
      state.set(WOKEN);
      LockSupport.unpark(thread);
    } else if (waitsForVisitor) {
      LockSupport.unpark(thread);
    }
  }

  private boolean isDueSooner() {
    long nanos = agent.nanosUntilDue();
    return nanos != Long.MAX_VALUE
        && (parkedUntilNanos == Long.MAX_VALUE
            || System.nanoTime() + nanos - parkedUntilNanos < -CLOCK_SLACK_NANOS);
  }

  private void run() {
    try {
      while (!closing) {
        enter();
        if (!agent.doWork()) {
          sleep();
        }
      }
    } catch (Throwable failure) {
      onFailure.accept(failure);
    }
  }

  /// Waits for a visitor to leave.
  private void enter() {
    while (true) {
      int now = state.get();
      if (now < VISITED) {
        if (state.compareAndSet(now, RUNNING)) {
          return;
        }
      } else {
        waitsForVisitor = true;
        if (state.get() >= VISITED) {
          LockSupport.park(this);
        }
        waitsForVisitor = false;
      }
    }
  }

  private void sleep() {
    long nanos = agent.nanosUntilDue();
    if (nanos <= 0) {
      return;
    }
    parkedUntilNanos = nanos == Long.MAX_VALUE ? nanos : System.nanoTime() + nanos;
    if (!state.compareAndSet(RUNNING, PARKED)) {
      return;
    }
    if (nanos != Long.MAX_VALUE) {
      LockSupport.parkNanos(this, nanos);
      return;
    }
    while (state.get() != WOKEN && !closing) {
      LockSupport.park(this);
    }
  }

  /// Ends the thread after the work in hand and waits for it.
  @Override
  public void close() {
    closing = true;
    wake();
    LockSupport.unpark(thread);
    if (Thread.currentThread() == thread) {
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
