package dev.etcdj.server.metrics;

import dev.etcdj.server.http.HealthCounts;
import dev.etcdj.server.http.HttpReply;
import dev.etcdj.server.http.Route;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

/// Everything a member counts. Made once per member; groups hold the single metrics.
public final class Metrics implements HealthCounts, AutoCloseable {
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final Registry registry = new Registry();
  private final PrometheusMeterRegistry jvm = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final ServerMetrics server;
  private final StorageMetrics storage;
  private final NetworkMetrics network;
  private final GrpcMetrics grpc;
  private final Counter scrapes;
  private final Gauge scrapesInFlight;

  /// Facts about the member that show as labels.
  ///
  /// @param apiVersion the etcd version it reports, e.g. `3.7.1`
  /// @param ownVersion its own
  /// @param clusterVersion major and minor, empty until decided; asked for at each scrape
  /// @param features state of the feature gates by name, each with its stage behind a slash
  /// @param extensive also times every gRPC call (`--metrics=extensive`)
  public record About(
      long self,
      String apiVersion,
      String ownVersion,
      Supplier<String> clusterVersion,
      Map<String, Boolean> features,
      boolean extensive) {
    public About {
      features = Map.copyOf(features);
    }
  }

  public Metrics(About about, LongSupplier nanoClock) {
    server = new ServerMetrics(registry);
    storage = new StorageMetrics(registry);
    network = new NetworkMetrics(registry, about.self);
    grpc = new GrpcMetrics(registry, network, about.extensive, nanoClock);
    new ProcessMetrics(registry);
    addFacts(about);
    addConstants();
    scrapes =
        registry
            .counters(
                "promhttp_metric_handler_requests_total",
                "Total number of scrapes by HTTP status code.",
                "code")
            .with("200");
    scrapesInFlight =
        registry.gauge(
            "promhttp_metric_handler_requests_in_flight",
            "Current number of scrapes being served.");
    gc.bindTo(jvm);
    new JvmMemoryMetrics().bindTo(jvm);
    new JvmThreadMetrics().bindTo(jvm);
  }

  private void addFacts(About about) {
    registry.info(
        "etcd_server_version",
        "Which version is running. 1 for 'server_version' label with current version.",
        "server_version",
        about::apiVersion);
    registry.info(
        "etcd_server_go_version",
        "Which Go version server is running with. 1 for 'server_go_version' label with current"
            + " version.",
        "server_go_version",
        () -> "java" + Runtime.version().feature());
    registry.info(
        "etcd_server_id",
        "Server or member ID in hexadecimal format. 1 for 'server_id' label with current ID.",
        "server_id",
        () -> Long.toHexString(about.self));
    registry.info(
        "etcd_cluster_version",
        "Which version is running. 1 for 'cluster_version' label with current cluster version",
        "cluster_version",
        about.clusterVersion);
    registry.info(
        "etcdj_version",
        "Which version of this implementation is running.",
        "version",
        about::ownVersion);
    Vec<Gauge> features =
        registry.gauges(
            "etcd_server_feature_enabled",
            "Whether or not a feature is enabled. 1 is enabled, 0 is not.",
            "name",
            "stage");
    new TreeMap<>(about.features)
        .forEach(
            (feature, enabled) -> {
              int slash = feature.indexOf('/');
              String name = slash < 0 ? feature : feature.substring(0, slash);
              String stage = slash < 0 ? "" : feature.substring(slash + 1);
              features.with(name, stage).set(enabled ? 1 : 0);
            });
  }

  /// Names that dashboards and tests expect of a server and that have nothing behind them here:
  /// the gRPC proxy's and the v2 store's, which are not built.
  private void addConstants() {
    registry.gauge("etcd_grpc_proxy_cache_hits_total", "Total number of cache hits");
    registry.gauge("etcd_grpc_proxy_cache_keys_total", "Total number of keys/ranges cached");
    registry.gauge("etcd_grpc_proxy_cache_misses_total", "Total number of cache misses");
    registry.counter(
        "etcd_grpc_proxy_events_coalescing_total", "Total number of events coalescing");
    registry.gauge(
        "etcd_grpc_proxy_watchers_coalescing_total", "Total number of current watchers coalescing");
    registry.counter("etcd_debugging_store_expires_total", "Total number of expired keys.");
    registry.counter(
        "etcd_debugging_store_watch_requests_total",
        "Total number of incoming watch requests (new or reestablished).");
    registry.gauge("etcd_debugging_store_watchers", "Count of currently active watchers.");
  }

  public ServerMetrics server() {
    return server;
  }

  public StorageMetrics storage() {
    return storage;
  }

  /// Also what the peer transport counts with.
  public NetworkMetrics network() {
    return network;
  }

  /// Also the tracer of the client port.
  public GrpcMetrics grpc() {
    return grpc;
  }

  @Override
  public void health(boolean healthy) {
    (healthy ? server.healthSuccess : server.healthFailures).increment();
  }

  @Override
  public void check(String endpoint, String name, boolean passed) {
    server.healthcheck.with(endpoint, name).set(passed ? 1 : 0);
    server.healthchecks.with(endpoint, name, passed ? "success" : "error").increment();
  }

  /// All metrics as Prometheus text.
  public String print() {
    StringBuilder out = new StringBuilder(256 << 10);
    registry.print(out);
    return out.append(jvm.scrape()).toString();
  }

  /// Serves `/metrics`, by any method. Printing takes long enough to have a thread of its own.
  public Route route(Executor executor) {
    return new Route.Buffered(
        64 << 10,
        call -> {
          String accepted = call.header("Accept-Encoding");
          boolean zipped = accepted != null && accepted.contains("gzip");
          return CompletableFuture.supplyAsync(() -> scrape(zipped), executor);
        });
  }

  private HttpReply scrape(boolean zipped) {
    scrapesInFlight.add(1);
    try {
      byte[] text = print().getBytes(StandardCharsets.UTF_8);
      return zipped
          ? HttpReply.of(200, CONTENT_TYPE, zip(text)).with("Content-Encoding", "gzip")
          : HttpReply.of(200, CONTENT_TYPE, text);
    } finally {
      scrapesInFlight.add(-1);
      scrapes.increment();
    }
  }

  private static byte[] zip(byte[] text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length / 8);
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    gc.close();
    jvm.close();
  }
}
