package dev.etcdj.server.http;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Finds what serves a path. A path that ends in a slash stands for everything below it; the
/// longest match wins. Routes may be added while requests are served.
public final class Router {
  private final Map<String, Map<String, Route>> routes = new ConcurrentHashMap<>();

  /// Outcome of a look-up.
  public sealed interface Match {}

  /// This serves the request.
  public record Found(Route route) implements Match {}

  /// Nothing is known by that path.
  public record UnknownPath() implements Match {}

  /// The path is known, the method is not.
  public record WrongMethod(String allowed) implements Match {}

  /// Serves `path` by `route`.
  ///
  /// @param method an HTTP method, or `*` for all
  /// @throws IllegalArgumentException when the method of that path is taken
  public void add(String method, String path, Route route) {
    Map<String, Route> byMethod = routes.computeIfAbsent(path, any -> new ConcurrentHashMap<>());
    if (byMethod.putIfAbsent(method, route) != null) {
      throw new IllegalArgumentException(method + " " + path + " is served already");
    }
  }

  /// What serves this request.
  public Match match(String method, String path) {
    Map<String, Route> byMethod = find(path);
    if (byMethod == null) {
      return new UnknownPath();
    }
    Route route = byMethod.get(method);
    if (route == null) {
      route = byMethod.get("*");
    }
    return route != null
        ? new Found(route)
        : new WrongMethod(String.join(", ", new TreeMap<>(byMethod).keySet()));
  }

  private @Nullable Map<String, Route> find(String path) {
    Map<String, Route> exact = routes.get(path);
    if (exact != null) {
      return exact;
    }
    for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      Map<String, Route> below = routes.get(path.substring(0, slash + 1));
      if (below != null) {
        return below;
      }
    }
    return null;
  }
}
