package dev.etcdj.mvcc.watch;

import org.jspecify.annotations.Nullable;

/// Leads a stream's unsynced watchers through the past, in turn, a slice each: from chunks of
/// history read by watch-sync, then from the ring, then they are synced. Waits for one chunk at a
/// time. The stream's owner only, but for [#grant] and [#close].
final class Replay {
  /// Slices without a message after which the event loop gets its turn.
  private static final int MAX_SLICES = 16;

  /// Ring revisions looked through per slice.
  private static final int RING_SLICE = 1024;

  private final ClientStream stream;
  private final WatchHub hub;
  private final Fanout fanout;
  private final WatcherQueue behind = new WatcherQueue();

  /// History was asked for and not yet seen.
  private boolean asked;

  private boolean yielded;

  /// Set by watch-sync after `claimed`, only while `asked`.
  private volatile boolean granted;

  private @Nullable HistoryChunk claimed;

  Replay(ClientStream stream, WatchHub hub) {
    this.stream = stream;
    this.hub = hub;
    this.fanout = hub.fanout;
  }

  void add(Watcher watcher) {
    behind.add(watcher);
  }

  /// Whether a watcher is still behind.
  boolean hasWork() {
    return !behind.isEmpty();
  }

  /// Whether there is work that [#next] would not do in one turn.
  boolean yielded() {
    return yielded;
  }

  boolean isGranted() {
    return granted;
  }

  void grant(@Nullable HistoryChunk chunk, long nowNanos) {
    if (chunk != null) {
      chunk.claim(nowNanos);
      claimed = chunk;
    }
    granted = true;
  }

  /// The next catch-up response, or the end of a watcher whose past is gone.
  @Nullable WatchMessage next() {
    yielded = false;
    HistoryChunk inUse = null;
    if (asked) {
      if (!granted) {
        return null;
      }
      asked = false;
      granted = false;
      inUse = claimed;
      claimed = null;
    }
    WatchMessage message = slices();
    if (inUse != null) {
      hub.catchUp.released(inUse);
    }
    return message;
  }

  private @Nullable WatchMessage slices() {
    for (int i = 0; i < MAX_SLICES && !asked; i++) {
      Watcher watcher = behind.poll();
      if (watcher == null) {
        return null;
      }
      WatchMessage message = watcher.cancelled ? null : slice(watcher);
      if (message != null) {
        return message;
      }
    }
    yielded = !asked && !behind.isEmpty();
    return null;
  }

  private @Nullable WatchMessage slice(Watcher watcher) {
    if (fanout.settle(watcher)) {
      return null;
    }
    long compacted = hub.history.compactedRevision();
    if (watcher.next < compacted) {
      return new WatchMessage.Compacted(watcher.id, compacted);
    }
    long revision = fanout.last();
    Batch batch = new Batch(watcher, hub.options.catchUpRevisions(), compacted);
    HistoryChunk chunk = null;
    boolean atHand = fanout.recent.get(watcher.next) != null;
    if (atHand) {
      gatherFromRing(watcher, batch, revision);
    } else {
      chunk = hub.catchUp.find(watcher.next);
      if (chunk != null) {
        gatherFromChunk(watcher, batch, chunk);
      }
    }
    boolean stuck = !atHand && chunk == null || batch.lacksPrevious() && batch.isEmpty();
    if (stuck) {
      ask(watcher);
    } else if (!fanout.settle(watcher)) {
      behind.add(watcher);
    }
    return batch.isEmpty() ? null : stream.events(watcher, revision, batch.wires());
  }

  private void gatherFromRing(Watcher watcher, Batch batch, long last) {
    long end = Math.min(last, watcher.next + RING_SLICE - 1);
    while (watcher.next <= end) {
      RevisionEvents at = fanout.recent.get(watcher.next);
      if (at == null || !batch.take(at)) {
        return;
      }
      watcher.next++;
    }
  }

  private static void gatherFromChunk(Watcher watcher, Batch batch, HistoryChunk chunk) {
    for (int i = chunk.indexOf(watcher.next); i < chunk.revisions.length; i++) {
      RevisionEvents at = chunk.revisions[i];
      if (!batch.take(at)) {
        watcher.next = at.revision;
        return;
      }
    }
    watcher.next = chunk.through + 1;
  }

  /// Waits for history; the watcher goes first when it comes.
  private void ask(Watcher watcher) {
    WatcherQueue others = new WatcherQueue();
    others.addAll(behind);
    behind.add(watcher);
    behind.addAll(others);
    asked = true;
    hub.catchUp.ask(stream, watcher.next, watcher.prevKv ? watcher : null);
  }

  /// Any thread.
  void close() {
    hub.catchUp.forget(stream);
  }
}
