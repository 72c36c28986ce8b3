package dev.etcdj.etcdctl.output;

import dev.etcdj.client.maintenance.HashKvResponse;
import dev.etcdj.client.maintenance.StatusResponse;
import java.time.Duration;

/// What one endpoint answered.
public sealed interface EndpointAnswer {
  /// To `endpoint status`.
  record Status(String endpoint, StatusResponse response) implements EndpointAnswer {}

  /// To `endpoint hashkv`.
  record HashKv(String endpoint, HashKvResponse response) implements EndpointAnswer {}

  /// To `endpoint health`.
  ///
  /// @param error empty when healthy
  record Health(String endpoint, boolean healthy, Duration took, String error)
      implements EndpointAnswer {}
}
