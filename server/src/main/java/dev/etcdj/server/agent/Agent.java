package dev.etcdj.server.agent;

/// Something with work of its own that one thread at a time drives: a real thread
/// ([AgentRunner]) in a member, the scheduler in a simulation.
public interface Agent {
  /// Name of the thread.
  String name();

  /// Does a bounded amount of work without waiting for input.
  ///
  /// @return whether it did anything; then it is called again before any wait
  boolean doWork();

  /// Nanoseconds until there is work without a wake-up, [Long#MAX_VALUE] for none.
  default long nanosUntilDue() {
    return Long.MAX_VALUE;
  }
}
