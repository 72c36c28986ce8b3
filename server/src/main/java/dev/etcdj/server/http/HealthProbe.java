package dev.etcdj.server.http;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/// What the health endpoints ask of the member. Any thread; nothing here blocks.
public interface HealthProbe {
  /// Kinds of the active alarms of all members, by their names in the API (MAINT-94).
  List<String> alarms();

  /// Whether a leader is known.
  boolean hasLeader();

  /// Whether this member is a learner.
  boolean isLearner();

  /// Reads at most one key; fails with what the read fails with.
  CompletableFuture<Void> read(boolean linearizable);
}
