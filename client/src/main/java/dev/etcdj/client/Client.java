package dev.etcdj.client;

import dev.etcdj.client.kv.Kv;
import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.Transport;

/// A client of one cluster: the way in to every API.
///
/// Opening it makes no connection and starts no thread of its own. Futures complete on shared event
/// loops: continue with the `…Async` methods when what follows blocks. Every failure is an
/// `EtcdException` with the gRPC code and etcd's exact text.
/// Thread: safe; one client serves a whole program.
public final class Client implements AutoCloseable {
  private final Transport transport;
  private final Calls calls;

  private Client(Transport transport, Calls calls) {
    this.transport = transport;
    this.calls = calls;
  }

  /// Opens a client.
  ///
  /// @throws IllegalArgumentException for a malformed endpoint
  /// @throws java.io.UncheckedIOException when a TLS file cannot be read
  public static Client open(ClientConfig config) {
    Transport transport =
        Transport.open(
            config.endpoints(),
            new Transport.Options(
                config.connectTimeout(),
                config.pings(),
                config.limits(),
                config.tls(),
                config.tokens()));
    return new Client(transport, transport.calls(new CallSettings(config.callTimeout(), false)));
  }

  /// The same connections with other settings; closing either closes both.
  public Client with(CallSettings settings) {
    return new Client(transport, calls.with(settings));
  }

  /// The settings in force.
  public CallSettings settings() {
    return calls.settings();
  }

  /// Keys and values.
  public Kv kv() {
    return new Kv(calls);
  }

  /// Cuts the connections. Calls in flight fail, watches and keep-alives end.
  @Override
  public void close() {
    transport.close();
  }
}
