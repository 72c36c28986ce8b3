package dev.etcdj.server.http;

/// Counts what the health endpoints answer. Any thread.
public interface HealthCounts {
  /// `/health` has answered.
  void health(boolean healthy);

  /// One check of `livez` or `readyz` has run.
  void check(String endpoint, String name, boolean passed);
}
