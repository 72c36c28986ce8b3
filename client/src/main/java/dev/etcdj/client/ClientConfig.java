package dev.etcdj.client;

import dev.etcdj.client.transport.Limits;
import dev.etcdj.client.transport.Pings;
import dev.etcdj.client.transport.TlsOptions;
import dev.etcdj.client.transport.TokenSource;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where the cluster is and how to talk to it. `to` gives the defaults, `with…` changes one.
///
/// @param endpoints `host:port`, `http://host:port` or `https://host:port`; at least one
/// @param connectTimeout for one connection attempt; a call waits on as long as its deadline allows
/// @param callTimeout for each unary call with all its retries; null: no limit
/// @param pings what finds dead connections
/// @param limits message sizes
/// @param tls for `https` endpoints, and for bare ones when set; null: plain text
/// @param tokens where the auth token comes from
/// Thread: immutable.
public record ClientConfig(
    List<String> endpoints,
    Duration connectTimeout,
    @Nullable Duration callTimeout,
    Pings pings,
    Limits limits,
    @Nullable TlsOptions tls,
    TokenSource tokens) {

  /// Checks that there is an endpoint.
  public ClientConfig {
    endpoints = List.copyOf(endpoints);
    if (endpoints.isEmpty()) {
      throw new IllegalArgumentException("no endpoints");
    }
  }

  /// The defaults: plain text, 2 s to connect, 10 s for a call.
  public static ClientConfig to(List<String> endpoints) {
    return new ClientConfig(
        endpoints,
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Pings.DEFAULT,
        Limits.DEFAULT,
        null,
        TokenSource.NONE);
  }

  /// See [#to(List)].
  public static ClientConfig to(String... endpoints) {
    return to(List.of(endpoints));
  }

  /// Changes the endpoints.
  public ClientConfig withEndpoints(List<String> value) {
    return new ClientConfig(value, connectTimeout, callTimeout, pings, limits, tls, tokens);
  }

  /// Changes the time for one connection attempt.
  public ClientConfig withConnectTimeout(Duration value) {
    return new ClientConfig(endpoints, value, callTimeout, pings, limits, tls, tokens);
  }

  /// Changes the time for a unary call; null lifts it.
  public ClientConfig withCallTimeout(@Nullable Duration value) {
    return new ClientConfig(endpoints, connectTimeout, value, pings, limits, tls, tokens);
  }

  /// Changes the pings.
  public ClientConfig withPings(Pings value) {
    return new ClientConfig(endpoints, connectTimeout, callTimeout, value, limits, tls, tokens);
  }

  /// Changes the message sizes.
  public ClientConfig withLimits(Limits value) {
    return new ClientConfig(endpoints, connectTimeout, callTimeout, pings, value, tls, tokens);
  }

  /// Changes the TLS options.
  public ClientConfig withTls(@Nullable TlsOptions value) {
    return new ClientConfig(endpoints, connectTimeout, callTimeout, pings, limits, value, tokens);
  }

  /// Changes the source of tokens.
  public ClientConfig withTokens(TokenSource value) {
    return new ClientConfig(endpoints, connectTimeout, callTimeout, pings, limits, tls, value);
  }
}
