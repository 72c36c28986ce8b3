package dev.etcdj.client.transport;

import org.jspecify.annotations.Nullable;

/// Gives the auth token that requests carry in the metadata key `token`. Called for each attempt
/// on any thread; it must not block.
@FunctionalInterface
public interface TokenSource {
  /// Requests go out without a token.
  TokenSource NONE = () -> null;

  /// @return the token to send now, or null to send none
  @Nullable String token();

  /// Tells that the server no longer takes `token`; the next attempt asks again.
  default void rejected(String token) {}
}
