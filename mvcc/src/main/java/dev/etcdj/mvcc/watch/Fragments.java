package dev.etcdj.mvcc.watch;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Splits a response that is too large for one message (WATCH-90..94) and holds the parts still to
/// be sent. The stream's owner only.
final class Fragments {
  /// Tag and length of the header, and its cluster id, member id and term at their longest: their
  /// values are not known here.
  private static final int HEADER_BYTES = 2 + 11 + 11 + 6;

  private final int maxResponseBytes;
  private final Queue<WatchMessage.Events> parts = new ArrayDeque<>();

  Fragments(int maxResponseBytes) {
    this.maxResponseBytes = maxResponseBytes;
  }

  @Nullable WatchMessage next() {
    return parts.poll();
  }

  /// The first part of `whole`, or all of it when it is short enough.
  WatchMessage.Events split(WatchMessage.Events whole) {
    List<byte[]> events = whole.events();
    if (events.size() < 2 || encodedBytes(whole) < maxResponseBytes) {
      return whole;
    }
    // All parts but the last say that more follow, in two bytes.
    long emptyBytes = fixedBytes(whole) + 2;
    long bytes = emptyBytes;
    int from = 0;
    for (int i = 0; i < events.size(); i++) {
      long eventBytes = eventBytes(events.get(i));
      if (bytes + eventBytes >= maxResponseBytes && i > from) {
        parts.add(part(whole, from, i, true));
        from = i;
        bytes = emptyBytes;
      }
      bytes += eventBytes;
    }
    parts.add(part(whole, from, events.size(), false));
    return parts.remove();
  }

  /// Size of the encoded `WatchResponse`, never below the real one.
  static long encodedBytes(WatchMessage.Events message) {
    long bytes = fixedBytes(message);
    for (byte[] event : message.events()) {
      bytes += eventBytes(event);
    }
    return bytes;
  }

  private static WatchMessage.Events part(
      WatchMessage.Events whole, int from, int to, boolean moreFollow) {
    return new WatchMessage.Events(
        whole.watchId(),
        whole.revision(),
        List.copyOf(whole.events().subList(from, to)),
        moreFollow);
  }

  private static long fixedBytes(WatchMessage.Events message) {
    int id = message.watchId() == 0 ? 0 : 1 + WatchEvent.varintBytes(message.watchId());
    return HEADER_BYTES + 1 + WatchEvent.varintBytes(message.revision()) + id;
  }

  private static long eventBytes(byte[] event) {
    return 1 + WatchEvent.varintBytes(event.length) + event.length;
  }
}
