package dev.etcdj.server;

import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.http.ClientPort;
import dev.etcdj.server.http.EventLoops;
import dev.etcdj.server.http.HealthEndpoints;
import dev.etcdj.server.http.HealthProbe;
import dev.etcdj.server.http.Listener;
import dev.etcdj.server.http.Router;
import dev.etcdj.server.http.Versions;
import dev.etcdj.server.metrics.Metrics;
import dev.etcdj.server.rpc.Probes;
import dev.etcdj.server.rpc.Services;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The client ports: gRPC services and HTTP endpoints, from the moment the member is known to the
/// cluster.
final class ClientListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientListener.class);
  private static final int MAX_LOOPS = 8;

  private final ServerConfig config;
  private final Services services;
  private final Metrics metrics;
  private final Router router = new Router();
  private final EventLoops loops =
      new EventLoops("rpc", Math.min(MAX_LOOPS, Runtime.getRuntime().availableProcessors()));
  private @Nullable ClientPort port;
  private boolean closed;

  ClientListener(ServerConfig config, Services services, Versions versions, Metrics metrics) {
    this.config = config;
    this.services = services;
    this.metrics = metrics;
    new HealthEndpoints(new Health(services.probes()), metrics).addTo(router);
    router.add("GET", "/version", versions.route());
    router.add(
        "*", "/metrics", metrics.route(task -> Thread.ofVirtual().name("scrape").start(task)));
  }

  /// Clients come only once the cluster knows this member, but a taken address is told at once.
  ///
  /// @throws StartException when an address is taken
  void requireFree() throws StartException {
    for (URI url : config.listenClientUrls()) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(Listener.addressOf(url));
      } catch (IOException e) {
        throw new StartException(
            "listen tcp %s:%d: bind: %s".formatted(url.getHost(), url.getPort(), reason(e)), e);
      }
    }
  }

  private static String reason(IOException e) {
    String text = String.valueOf(e.getMessage());
    return text.contains("in use") ? "address already in use" : text;
  }

  synchronized void listen() throws IOException {
    if (closed) {
      return;
    }
    metrics.grpc().serve(services.definitions());
    port =
        ClientPort.open(
            loops,
            config.listenClientUrls(),
            services.definitions(),
            router,
            ClientPort.Limits.withDefaults(config.maxRequestBytes()),
            metrics.grpc());
    for (URI url : config.listenClientUrls()) {
      LOG.atInfo()
          .addKeyValue("traffic", "grpc+http")
          .addKeyValue("address", url.getHost() + ":" + url.getPort())
          .log("serving client traffic insecurely; this is strongly discouraged!");
    }
    LOG.info("ready to serve client requests");
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (port != null) {
      port.close();
    }
    loops.close();
  }

  private record Health(Probes probes) implements HealthProbe {
    @Override
    public List<String> alarms() {
      return probes.alarms().stream().map(alarm -> alarm.getAlarm().name()).toList();
    }

    @Override
    public boolean hasLeader() {
      return probes.hasLeader();
    }

    @Override
    public boolean isLearner() {
      return probes.isLearner();
    }

    @Override
    public CompletableFuture<Void> read(boolean linearizable) {
      CompletableFuture<Void> ready =
          linearizable ? probes.linearizableRead() : CompletableFuture.completedFuture(null);
      return ready.thenRun(probes::serializableRead);
    }
  }
}
