package dev.etcdj.server.http;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What `/version` tells (MAINT-110). Any thread.
public interface Versions {
  /// Release of this server, e.g. `3.7.1`.
  String server();

  /// Version of the cluster, e.g. `3.7.0`, or null until it is decided.
  @Nullable String cluster();

  /// Version of the stored data, or null when it cannot be told.
  @Nullable String storage();

  /// Serves these as `GET /version`.
  default Route route() {
    return new Route.Buffered(
        0, call -> CompletableFuture.completedFuture(HttpReply.json(200, toJson())));
  }

  /// The answer's body.
  default String toJson() {
    String cluster = cluster();
    String storage = storage();
    return "{\"etcdserver\":"
        + Json.quote(server())
        + ",\"etcdcluster\":"
        + Json.quote(cluster == null ? "not_decided" : cluster)
        + ",\"storage\":"
        + Json.quote(storage == null ? "unknown" : storage)
        + "}";
  }
}
