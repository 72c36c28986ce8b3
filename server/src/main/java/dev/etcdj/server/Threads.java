package dev.etcdj.server;

import dev.etcdj.server.agent.Agent;
import dev.etcdj.server.agent.AgentRunner;
import dev.etcdj.server.agent.Wakeup;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The threads that drive a member's agents. Stopped in the reverse order of their start.
final class Threads implements AutoCloseable {
  private final Consumer<Throwable> onFailure;
  private final Deque<AgentRunner> runners = new ArrayDeque<>();

  /// @param onFailure told when an agent threw; its thread has ended
  Threads(Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
  }

  /// Gives `agent` a thread and lets `wakeup` wake it.
  AgentRunner drive(Agent agent, Wakeup wakeup) {
    AgentRunner runner = new AgentRunner(agent, onFailure);
    wakeup.connect(runner::wake);
    runners.push(runner);
    runner.start();
    return runner;
  }

  /// The same for a part that has an agent's methods but knows nothing of this module.
  AgentRunner drive(
      String name, BooleanSupplier doWork, LongSupplier nanosUntilDue, Wakeup wakeup) {
    return drive(
        new Agent() {
          @Override
          public String name() {
            return name;
          }

          @Override
          public boolean doWork() {
            return doWork.getAsBoolean();
          }

          @Override
          public long nanosUntilDue() {
            return nanosUntilDue.getAsLong();
          }
        },
        wakeup);
  }

  @Override
  public void close() {
    while (!runners.isEmpty()) {
      runners.pop().close();
    }
  }
}
