package dev.etcdj.server.agent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// Drives one [Agent] on a platform thread of its own. Sleeps while the agent has nothing to do;
/// [#wake] costs a system call only when the thread really sleeps.
public final class AgentRunner implements AutoCloseable {
  private static final int RUNNING = 0;
  private static final int WOKEN = 1;
  private static final int PARKED = 2;

  private final Agent agent;
  private final Consumer<Throwable> onFailure;
  private final Thread thread;
  private final AtomicInteger state = new AtomicInteger(RUNNING);
  // Written by close(), read by the agent's thread.
  private volatile boolean closing;

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
    if (state.get() != WOKEN && state.getAndSet(WOKEN) == PARKED) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    try {
      while (!closing) {
        state.set(RUNNING);
        if (!agent.doWork()) {
          sleep();
        }
      }
    } catch (Throwable failure) {
      onFailure.accept(failure);
    }
  }

  private void sleep() {
    long nanos = agent.nanosUntilDue();
    if (nanos <= 0 || !state.compareAndSet(RUNNING, PARKED)) {
      return;
    }
    while (state.get() == PARKED && !closing) {
      if (nanos == Long.MAX_VALUE) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, nanos);
        return;
      }
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
