package dev.etcdj.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// URL lists as flags and member records hold them.
public final class Urls {
  private static final Set<String> SCHEMES = Set.of("http", "https", "unix", "unixs");

  private Urls() {}

  /// A comma-separated list, sorted as etcd sorts it.
  ///
  /// @throws IllegalArgumentException with etcd's words for what is wrong
  public static List<URI> parseList(String text) {
    List<URI> urls = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      urls.add(parse(part.strip()));
    }
    urls.sort((a, b) -> a.toString().compareTo(b.toString()));
    return List.copyOf(urls);
  }

  /// One URL: a known scheme and, for http, host and port and no path.
  public static URI parse(String text) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("parse \"" + text + "\": " + e.getReason(), e);
    }
    if (url.getScheme() == null || !SCHEMES.contains(url.getScheme())) {
      throw new IllegalArgumentException("URL scheme must be http, https, unix, or unixs: " + text);
    }
    if (url.getScheme().startsWith("http")) {
      if (url.getHost() == null || url.getPort() < 0) {
        throw new IllegalArgumentException(
            "URL address does not have the form \"host:port\": " + text);
      }
      if (url.getPath() != null && !url.getPath().isEmpty()) {
        throw new IllegalArgumentException("URL must not contain a path: " + text);
      }
    }
    return url;
  }

  /// The URLs as text, in their order.
  public static List<String> texts(List<URI> urls) {
    return urls.stream().map(URI::toString).toList();
  }
}
