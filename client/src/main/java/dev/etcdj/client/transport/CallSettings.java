package dev.etcdj.client.transport;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a caller may ask of each call.
///
/// @param timeout for a unary call with all its retries; null: none. Streams have none
/// @param requireLeader refuse members that see no leader (metadata `hasleader`, WATCH-100)
public record CallSettings(@Nullable Duration timeout, boolean requireLeader) {
  /// Changes the timeout.
  public CallSettings withTimeout(@Nullable Duration value) {
    return new CallSettings(value, requireLeader);
  }

  /// Changes whether a leader is required.
  public CallSettings withRequireLeader(boolean value) {
    return new CallSettings(timeout, value);
  }
}
