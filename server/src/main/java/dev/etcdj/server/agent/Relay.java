package dev.etcdj.server.agent;

import java.util.List;
import java.util.function.BooleanSupplier;

/// Does an agent's work and, when that was little, goes on with the work it has made for the next
/// agents, on the same thread: a lone request is then not handed from thread to thread. When there
/// was much to do, the others are woken as usual, so that all of them work at once.
public final class Relay implements Agent {
  private final Agent first;
  private final BooleanSupplier little;
  private final List<Wakeup> next;

  /// @param little whether the last turn of `first` was short and nothing waits for the next one
  /// @param next the agents that follow, in the order in which work passes through them
  public Relay(Agent first, BooleanSupplier little, List<Wakeup> next) {
    this.first = first;
    this.little = little;
    this.next = List.copyOf(next);
  }

  @Override
  public String name() {
    return first.name();
  }

  @Override
  public long nanosUntilDue() {
    return first.nanosUntilDue();
  }

  @Override
  public boolean doWork() {
    for (Wakeup wakeup : next) {
      wakeup.hold();
    }
    boolean here = false;
    try {
      boolean worked = first.doWork();
      here = little.getAsBoolean();
      return worked;
    } finally {
      // The later ones are still held while an earlier one is visited.
      for (Wakeup wakeup : next) {
        wakeup.release(here);
      }
    }
  }
}
