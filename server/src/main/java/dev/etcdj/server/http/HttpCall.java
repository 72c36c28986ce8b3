package dev.etcdj.server.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One request whose body has been read as a whole.
///
/// @param path decoded, without the query
/// @param query what follows the question mark, still encoded; empty when there is none
/// @param body at most as long as the route allows; read only
public record HttpCall(
    String method,
    String path,
    String query,
    HttpHeaders headers,
    byte[] body,
    SocketAddress remote) {

  /// First value of a header, or null.
  public @Nullable String header(String name) {
    return headers.get(name);
  }

  /// All values of a query parameter in the order given; empty when it does not occur.
  public List<String> parameters(String name) {
    if (query.isEmpty()) {
      return List.of();
    }
    return new QueryStringDecoder(query, false).parameters().getOrDefault(name, List.of());
  }

  /// Whether a query parameter occurs, with or without a value.
  public boolean hasParameter(String name) {
    return !parameters(name).isEmpty();
  }
}
