package dev.etcdj.server.agent;

import org.jspecify.annotations.Nullable;

/// Wakes an agent whose runner does not exist yet when the agent is made: parts are handed this,
/// and it is connected once the runner stands. A wake-up before that is not lost, because a runner
/// looks for work when it starts.
///
/// A thread may hold back the wake-ups that its own work causes and then decide how to pass them
/// on ([Relay]).
public final class Wakeup implements Runnable {
  // Written once while the member is put together, read by any thread.
  private volatile Runnable target = () -> {};
  private volatile Runnable visit = () -> {};

  // Written by the holding thread, read by any thread.
  private volatile @Nullable Thread holder;

  /// Used by the holding thread alone.
  private boolean heldBack;

  /// Passes wake-ups on to a runner from now on.
  public void connect(AgentRunner runner) {
    target = runner::wake;
    visit = runner::visit;
  }

  /// Passes wake-ups on to whatever drives the agent, which takes no visitors.
  public void connect(Runnable driver) {
    target = driver;
    visit = driver;
  }

  @Override
  public void run() {
    pass(target);
  }

  /// Has the current thread do the agent's work, if the agent sleeps; else wakes it. For work that
  /// is known to be small.
  public void visit() {
    pass(visit);
  }

  private void pass(Runnable to) {
    if (holder == Thread.currentThread()) {
      heldBack = true;
    } else {
      to.run();
    }
  }

  /// Holds back the wake-ups of the current thread until [#release]. One thread at a time.
  void hold() {
    holder = Thread.currentThread();
  }

  /// @param here whether the current thread does the work itself, if it can
  void release(boolean here) {
    holder = null;
    if (heldBack) {
      heldBack = false;
      (here ? visit : target).run();
    }
  }
}
