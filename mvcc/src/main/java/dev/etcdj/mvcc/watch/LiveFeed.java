package dev.etcdj.mvcc.watch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sends marked watchers their revisions from the ring, one response per revision (WATCH-45), in
/// turn. The stream's owner only.
final class LiveFeed {
  /// Revisions a live watcher may look through at one go; with more to do it replays, which goes
  /// in slices.
  private static final int MAX_LOOK = 4096;

  private final ClientStream stream;
  private final Fanout fanout;
  private final HistorySource history;
  private final WatcherQueue ready = new WatcherQueue();

  /// Have nothing up to `parkedAt`, but something above.
  private final WatcherQueue parked = new WatcherQueue();

  private long parkedAt;

  LiveFeed(ClientStream stream, WatchHub hub) {
    this.stream = stream;
    this.fanout = hub.fanout;
    this.history = hub.history;
  }

  /// Takes over a stack of pushed watchers, oldest first.
  void take(@Nullable Watcher stack) {
    Watcher oldest = null;
    for (Watcher each = stack; each != null; ) {
      Watcher below = each.link;
      each.link = oldest;
      oldest = each;
      each = below;
    }
    for (Watcher each = oldest; each != null; ) {
      Watcher after = each.link;
      ready.add(each);
      each = after;
    }
  }

  /// Whether a limit that has moved to `limit` lets something through.
  boolean hasMore(long limit) {
    return !ready.isEmpty() || (!parked.isEmpty() && limit > parkedAt);
  }

  /// The next response with a revision ≤ `limit`, or null when every marked watcher has none.
  @Nullable WatchMessage next(long limit) {
    if (limit > parkedAt) {
      ready.addAll(parked);
    }
    for (Watcher each = ready.poll(); each != null; each = ready.poll()) {
      WatchMessage message = each.cancelled ? null : step(each, limit);
      if (message != null) {
        return message;
      }
    }
    return null;
  }

  private @Nullable WatchMessage step(Watcher watcher, long limit) {
    if (watcher.detached) {
      skipTo(watcher, watcher.resumeFrom);
      stream.toReplay(watcher);
      return null;
    }
    long to = Math.min(watcher.lastMatched, limit);
    skipTo(watcher, watcher.firstMatched);
    if (to - watcher.next > MAX_LOOK) {
      fanout.unsettle(watcher);
      stream.toReplay(watcher);
      return null;
    }
    while (watcher.next <= to) {
      RevisionEvents at = fanout.recent.get(watcher.next);
      if (at == null) {
        fanout.unsettle(watcher);
        stream.toReplay(watcher);
        return null;
      }
      watcher.next++;
      List<byte[]> wires = at.wiresFor(watcher, fanout.recent, history);
      if (!wires.isEmpty()) {
        watcher.delivered++;
        putBack(watcher, limit);
        return stream.events(watcher, at.revision, wires);
      }
    }
    putBack(watcher, limit);
    return null;
  }

  /// Passes over what the marker knows to be none of the watcher's business, unless marks may have
  /// gone by unseen.
  private static void skipTo(Watcher watcher, long revision) {
    if (!watcher.keepsPlace) {
      watcher.next = Math.max(watcher.next, revision);
    }
    watcher.keepsPlace = false;
  }

  /// Where the watcher waits next: not at all, if it has seen all that concerns it.
  ///
  /// A mark that comes after the look at `lastMatched` and before the release hands nothing over,
  /// and the next one, which does, calls itself the first: then the watcher must not skip to it
  /// (`WatchStressTest.noMarkIsLostInTheHandOver`).
  private void putBack(Watcher watcher, long limit) {
    if (watcher.lastMatched < watcher.next) {
      watcher.release();
      boolean overtaken = watcher.lastMatched >= watcher.next;
      watcher.keepsPlace = overtaken;
      if (!(overtaken || watcher.detached) || !watcher.tryQueue()) {
        return;
      }
    }
    if (watcher.next <= Math.min(watcher.lastMatched, limit) || watcher.detached) {
      ready.add(watcher);
    } else {
      parkedAt = limit;
      parked.add(watcher);
    }
  }
}
