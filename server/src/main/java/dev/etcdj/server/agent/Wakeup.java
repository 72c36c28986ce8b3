package dev.etcdj.server.agent;

/// Wakes an agent whose runner does not exist yet when the agent is made: parts are handed this,
/// and it is connected once the runner stands. A wake-up before that is not lost, because a runner
/// looks for work when it starts.
public final class Wakeup implements Runnable {
  // Written once while the member is put together, read by any thread.
  private volatile Runnable target = () -> {};

  /// Passes wake-ups on from now on.
  public void connect(Runnable runner) {
    target = runner;
  }

  @Override
  public void run() {
    target.run();
  }
}
