package dev.etcdj.client.transport;

import java.time.Duration;

/// HTTP/2 pings, which find a connection that died without a word.
///
/// @param interval between pings; gRPC raises it to 10 s, below which servers hang up
/// @param timeout how long a ping may stay unanswered
public record Pings(Duration interval, Duration timeout) {
  /// As etcdctl has it.
  public static final Pings DEFAULT = new Pings(Duration.ofSeconds(2), Duration.ofSeconds(6));
}
