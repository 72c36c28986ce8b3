package dev.etcdj.server.http;

import java.util.List;

/// What the connections of one port have in common.
///
/// @param headers on every answer: names and values in turn
/// @param answersOptions OPTIONS is answered for any path, before routing
/// @param idleNanos a connection that owes bytes this long is closed; 0 for never
public record Site(Router router, List<String> headers, boolean answersOptions, long idleNanos) {
  public Site {
    headers = List.copyOf(headers);
  }
}
