package dev.etcdj.client.transport;

import java.net.InetSocketAddress;

/// One member's client address.
///
/// @param text as it was given, for messages
/// @param host name or literal address, IPv6 without brackets
/// @param port 0..65535
/// @param tls whether the scheme asks for TLS; a bare `host:port` leaves it to the configuration
/// Thread: immutable.
public record Endpoint(String text, String host, int port, Tls tls) {
  /// What an endpoint's scheme says about TLS.
  public enum Tls {
    UNSAID,
    OFF,
    ON
  }

  private static final int DEFAULT_PORT = 2379;

  /// Parses `host:port`, `http://…` or `https://…`; blanks around it are ignored.
  ///
  /// @throws IllegalArgumentException with one line that names the endpoint
  public static Endpoint parse(String given) {
    String text = given.strip();
    Tls tls = Tls.UNSAID;
    String rest = text;
    int scheme = text.indexOf("://");
    if (scheme >= 0) {
      tls =
          switch (text.substring(0, scheme)) {
            case "http" -> Tls.OFF;
            case "https" -> Tls.ON;
            default -> throw new IllegalArgumentException("unsupported scheme in endpoint " + text);
          };
      rest = text.substring(scheme + 3);
    }
    int slash = rest.indexOf('/');
    if (slash >= 0) {
      rest = rest.substring(0, slash);
    }
    int colon = rest.lastIndexOf(':');
    boolean bare = colon < 0 || rest.indexOf(']') > colon;
    String host = bare ? rest : rest.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty()) {
      throw new IllegalArgumentException("no host in endpoint \"" + text + "\"");
    }
    return new Endpoint(text, host, bare ? DEFAULT_PORT : port(rest, colon, text), tls);
  }

  private static int port(String rest, int colon, String text) {
    try {
      int port = Integer.parseInt(rest.substring(colon + 1));
      if (port >= 0 && port <= 65535) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message for a bad port.
    }
    throw new IllegalArgumentException("bad port in endpoint " + text);
  }

  /// Host and port as HTTP/2's `:authority`.
  public String authority() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  /// Resolves the name. Blocks when `host` is a name.
  public InetSocketAddress address() {
    return new InetSocketAddress(host, port);
  }
}
