package dev.etcdj.server;

import dev.etcdj.server.agent.Agent;
import dev.etcdj.server.agent.AgentRunner;
import dev.etcdj.server.agent.Wakeup;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/// The threads that drive a member's agents. Stopped in the reverse order of their start.
final class Threads implements AutoCloseable {
  private final Consumer<Throwable> onFailure;
  private final Deque<AgentRunner> runners = new ArrayDeque<>();

  /// @param onFailure told when an agent threw; its thread has ended
  Threads(Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
  }

  /// Gives `agent` a thread and lets `wakeup` wake it.
  void drive(Agent agent, Wakeup wakeup) {
    AgentRunner runner = new AgentRunner(agent, onFailure);
    wakeup.connect(runner);
    runners.push(runner);
    runner.start();
  }

  @Override
  public void close() {
    while (!runners.isEmpty()) {
      runners.pop().close();
    }
  }
}
