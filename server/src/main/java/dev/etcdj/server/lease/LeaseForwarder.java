package dev.etcdj.server.lease;

/// Posts to another member's peer port (LEASE-90). Never blocks.
@FunctionalInterface
public interface LeaseForwarder {
  /// @param peerUrl base URL of the member
  /// @param path [#KEEP_ALIVE] or [#INTERNAL]
  /// @param body `application/protobuf`
  /// @param timeoutNanos after which the answer no longer matters
  void post(String peerUrl, String path, byte[] body, long timeoutNanos, Answer answer);

  /// Path of keepalives.
  String KEEP_ALIVE = "/leases";

  /// Path of time-to-live queries.
  String INTERNAL = "/leases/internal";

  /// Receives the one answer, on any thread. Must not block.
  @FunctionalInterface
  interface Answer {
    /// @param status HTTP status, 0 when there was no answer
    void done(int status, byte[] body);
  }
}
