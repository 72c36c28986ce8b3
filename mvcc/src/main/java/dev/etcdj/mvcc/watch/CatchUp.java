package dev.etcdj.mvcc.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Reads history for streams that asked for it, one bounded chunk per step, shared by all that
/// need it. A stream asks for one place at a time and only while its client reads, so a stalled
/// one causes no work. [#doWork] belongs to thread watch-sync; the rest is thread-safe.
final class CatchUp {
  /// Previous values looked up per step; further askers wait for the next.
  private static final int LOOKUPS_PER_STEP = 2000;

  private final Fanout fanout;
  private final HistorySource history;
  private final HistoryCache cache;
  private final int chunkRevisions;
  private final long chunkBytes;
  private final LongSupplier nanoClock;
  private final Runnable wake;

  /// Guarded by the monitor, as are the streams' `asked…` fields. Each stream is in it once.
  private final Deque<ClientStream> waiting = new ArrayDeque<>();

  /// The cache is full of chunks someone is about to look at. Written by watch-sync, read by
  /// those who looked.
  private volatile boolean shortOfRoom;

  CatchUp(
      Fanout fanout,
      HistorySource history,
      WatchHub.Options options,
      LongSupplier nanoClock,
      Runnable wake) {
    this.fanout = fanout;
    this.history = history;
    this.cache = new HistoryCache(options.ringBytes());
    this.chunkRevisions = Math.max(1, options.catchUpRevisions());
    this.chunkBytes = Math.clamp(options.ringBytes() / 16, 1 << 16, 1 << 20);
    this.nanoClock = nanoClock;
    this.wake = wake;
  }

  @Nullable HistoryChunk find(long revision) {
    return cache.find(revision);
  }

  /// Asks for history from `from` on to be at hand, with the previous values `forPrevious` needs;
  /// answered by [ClientStream#granted].
  void ask(ClientStream stream, long from, @Nullable Watcher forPrevious) {
    boolean first;
    synchronized (this) {
      if (stream.isClosed()) {
        return;
      }
      assert !waiting.contains(stream);
      stream.askedFrom = from;
      stream.askedPrevious = forPrevious;
      first = waiting.isEmpty();
      waiting.add(stream);
    }
    if (first) {
      wake.run();
    }
  }

  synchronized void forget(ClientStream stream) {
    waiting.remove(stream);
  }

  /// A stream looked at a chunk it was told of.
  void released(HistoryChunk chunk) {
    chunk.releaseClaim();
    if (shortOfRoom && !chunk.isClaimed()) {
      wake.run();
    }
  }

  /// The store was replaced: what was read stays true, but may be compacted by now.
  void reset() {
    cache.clear();
  }

  boolean doWork() {
    long from;
    ClientStream head;
    synchronized (this) {
      head = waiting.peek();
      if (head == null) {
        return false;
      }
      from = head.askedFrom;
    }
    // As the stream will look: in the ring first, or it would not see the looked up values.
    HistoryChunk chunk = null;
    if (fanout.recent.get(from) == null) {
      chunk = cache.find(from);
      if (chunk == null) {
        shortOfRoom = true;
        if (!cache.makeRoom(nanoClock.getAsLong())) {
          return false;
        }
        shortOfRoom = false;
        chunk = load(from);
      }
    }
    grant(head, chunk);
    return true;
  }

  /// Nanoseconds until [#doWork] can do something.
  long nanosUntilDue() {
    synchronized (this) {
      if (waiting.isEmpty()) {
        return Long.MAX_VALUE;
      }
    }
    return shortOfRoom ? HistoryCache.CLAIM_NANOS / 10 : 0;
  }

  private @Nullable HistoryChunk load(long from) {
    long to = Math.min(from + chunkRevisions - 1, fanout.last());
    HistoryChunk chunk = history.load(from, Math.min(to, cache.nextCovered(from) - 1), chunkBytes);
    if (chunk != null) {
      cache.add(chunk);
    }
    return chunk;
  }

  /// Answers `head` and all whose place is in `chunk` too. Without a chunk the place is in the
  /// ring, or compacted, which the stream finds out by itself.
  private void grant(ClientStream head, @Nullable HistoryChunk chunk) {
    List<ClientStream> served = new ArrayList<>();
    int lookups = 0;
    for (ClientStream stream : served(head, chunk)) {
      Watcher forPrevious;
      synchronized (this) {
        forPrevious = stream.askedPrevious;
      }
      if (forPrevious != null) {
        if (lookups >= LOOKUPS_PER_STEP) {
          continue;
        }
        lookups += resolve(forPrevious, stream.askedFrom, chunk);
      }
      served.add(stream);
    }
    long now = nanoClock.getAsLong();
    synchronized (this) {
      // A stream that closed meanwhile is not in the queue any more.
      served.removeIf(stream -> !waiting.remove(stream));
    }
    for (ClientStream stream : served) {
      stream.granted(chunk, now);
    }
  }

  private synchronized List<ClientStream> served(ClientStream head, @Nullable HistoryChunk chunk) {
    if (chunk == null) {
      return List.of(head);
    }
    List<ClientStream> served = new ArrayList<>();
    for (ClientStream stream : waiting) {
      if (chunk.from <= stream.askedFrom && stream.askedFrom <= chunk.through) {
        served.add(stream);
      }
    }
    return served;
  }

  /// Looks up the previous values of what `watcher` will see next.
  ///
  /// @return events looked at
  private int resolve(Watcher watcher, long from, @Nullable HistoryChunk chunk) {
    int looked = 0;
    if (chunk != null) {
      for (int i = chunk.indexOf(from); i < chunk.revisions.length; i++) {
        for (WatchEvent event : chunk.revisions[i].events) {
          if (watcher.wants(event)) {
            cache.charge(chunk, event.resolvePrevious(history));
            looked++;
          }
        }
      }
      return looked;
    }
    for (long revision = from; looked < LOOKUPS_PER_STEP; revision++) {
      RevisionEvents at = fanout.recent.get(revision);
      if (at == null) {
        break;
      }
      for (WatchEvent event : at.events) {
        if (watcher.wants(event)) {
          fanout.recent.charge(event.resolvePrevious(history));
          looked++;
        }
      }
    }
    return looked;
  }
}
