package dev.etcdj.client;

import dev.etcdj.client.cluster.Cluster;
import dev.etcdj.client.kv.Kv;
import dev.etcdj.client.lease.KeepAlives;
import dev.etcdj.client.lease.Lease;
import dev.etcdj.client.maintenance.Maintenance;
import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.Transport;
import dev.etcdj.client.watch.Watch;

/// A client of one cluster: the way in to every API.
///
/// Opening it makes no connection and starts no thread of its own. Futures complete on shared event
/// loops: continue with the `…Async` methods when what follows blocks. Every failure is an
/// `EtcdException` with the gRPC code and etcd's exact text.
/// Thread: safe; one client serves a whole program.
public final class Client implements AutoCloseable {
  private final Transport transport;
  private final Calls calls;

  private final KeepAlives keepAlives;

  private Client(Transport transport, Calls calls, KeepAlives keepAlives) {
    this.transport = transport;
    this.calls = calls;
    this.keepAlives = keepAlives;
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
    Calls calls = transport.calls(new CallSettings(config.callTimeout(), false));
    return new Client(transport, calls, new KeepAlives(calls));
  }

  /// The same connections with other settings; closing either closes both.
  public Client with(CallSettings settings) {
    return new Client(transport, calls.with(settings), keepAlives);
  }

  /// The settings in force.
  public CallSettings settings() {
    return calls.settings();
  }

  /// Keys and values.
  public Kv kv() {
    return new Kv(calls);
  }

  /// Changes as they happen.
  public Watch watch() {
    return new Watch(calls);
  }

  /// Keys that live only as long as someone cares.
  public Lease lease() {
    return new Lease(calls, keepAlives);
  }

  /// Who belongs to the cluster.
  public Cluster cluster() {
    return new Cluster(calls);
  }

  /// How members are doing.
  public Maintenance maintenance() {
    return new Maintenance(calls);
  }

  /// Cuts the connections. Calls in flight fail, watches and keep-alives end.
  @Override
  public void close() {
    transport.close();
  }
}
