package dev.etcdj.server.replica;

import dev.etcdj.server.agent.Wakeup;

/// How each agent of a replica is told that it has work. They exist before the agents do.
public record Wakeups(
    Wakeup backend,
    Wakeup compaction,
    Wakeup watch,
    Wakeup wal,
    Wakeup segments,
    Wakeup apply,
    Wakeup timers,
    Wakeup raft) {
  public Wakeups() {
    this(
        new Wakeup(),
        new Wakeup(),
        new Wakeup(),
        new Wakeup(),
        new Wakeup(),
        new Wakeup(),
        new Wakeup(),
        new Wakeup());
  }
}
