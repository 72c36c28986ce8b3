package dev.etcdj.server.peer;

import java.net.URI;
import java.util.List;

/// The URLs of one peer, of which one is in use at a time; a failure moves on to the next.
/// Any thread.
final class PeerUrls {
  private record Pick(List<URI> urls, int index) {}

  // Written by whoever sees a failure or an update, read by every dial.
  private volatile Pick pick;

  PeerUrls(List<String> urls) {
    this.pick = new Pick(parse(urls), 0);
  }

  /// Replaces all URLs, beginning with the first.
  void replace(List<String> urls) {
    pick = new Pick(parse(urls), 0);
  }

  /// The URL in use.
  URI current() {
    Pick now = pick;
    return now.urls.get(now.index);
  }

  /// `url` did not work. Moves on unless someone else already has.
  synchronized void failed(URI url) {
    Pick now = pick;
    if (now.urls.get(now.index).equals(url)) {
      pick = new Pick(now.urls, (now.index + 1) % now.urls.size());
    }
  }

  private static List<URI> parse(List<String> urls) {
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("a peer needs at least one URL");
    }
    return urls.stream().map(URI::create).toList();
  }
}
