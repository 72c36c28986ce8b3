package dev.etcdj.mvcc.watch;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Chunks of history that do not overlap, bounded in bytes: watchers at the same place share one
/// read, and those that started apart meet at the next chunk's edge. Changed by one thread at a
/// time (monitor), searched by any without a lock.
final class HistoryCache {
  private static final HistoryChunk[] NONE = {};

  /// A stream that was told of a chunk may take this long to look before the chunk can be evicted.
  static final long CLAIM_NANOS = 100_000_000L;

  private final long maxBytes;
  private final Deque<HistoryChunk> byAge = new ArrayDeque<>();

  /// Ordered by `from`; replaced whole; read by every stream's owner.
  private volatile HistoryChunk[] chunks = NONE;

  private long bytes;

  HistoryCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /// The chunk that covers `revision`.
  @Nullable HistoryChunk find(long revision) {
    HistoryChunk[] all = chunks;
    int at = indexAbove(all, revision) - 1;
    return at >= 0 && revision <= all[at].through ? all[at] : null;
  }

  /// Lowest revision above `revision` that is covered, [Long#MAX_VALUE] for none.
  long nextCovered(long revision) {
    HistoryChunk[] all = chunks;
    int at = indexAbove(all, revision);
    return at < all.length ? all[at].from : Long.MAX_VALUE;
  }

  /// Evicts the oldest chunks that nobody is about to look at until there is room for one more.
  ///
  /// @return whether there is room now
  synchronized boolean makeRoom(long nowNanos) {
    for (var oldest = byAge.iterator(); bytes >= maxBytes && oldest.hasNext(); ) {
      HistoryChunk chunk = oldest.next();
      if (!chunk.isClaimed() || nowNanos - chunk.claimedAtNanos >= CLAIM_NANOS) {
        oldest.remove();
        drop(chunk);
      }
    }
    return bytes < maxBytes;
  }

  synchronized void add(HistoryChunk chunk) {
    HistoryChunk[] old = chunks;
    int at = indexAbove(old, chunk.from);
    assert at == 0 || old[at - 1].through < chunk.from;
    assert at == old.length || chunk.through < old[at].from;
    HistoryChunk[] grown = Arrays.copyOf(old, old.length + 1);
    System.arraycopy(old, at, grown, at + 1, old.length - at);
    grown[at] = chunk;
    chunks = grown;
    byAge.add(chunk);
    bytes += chunk.bytes;
  }

  /// Accounts for what events of `chunk` grew by.
  synchronized void charge(HistoryChunk chunk, long grownBytes) {
    chunk.bytes += grownBytes;
    if (find(chunk.from) == chunk) {
      bytes += grownBytes;
    }
  }

  synchronized void clear() {
    chunks = NONE;
    byAge.clear();
    bytes = 0;
  }

  synchronized long bytes() {
    return bytes;
  }

  private void drop(HistoryChunk chunk) {
    HistoryChunk[] old = chunks;
    int at = indexAbove(old, chunk.from) - 1;
    HistoryChunk[] left = new HistoryChunk[old.length - 1];
    System.arraycopy(old, 0, left, 0, at);
    System.arraycopy(old, at + 1, left, at, left.length - at);
    chunks = left;
    bytes -= chunk.bytes;
  }

  private static int indexAbove(HistoryChunk[] all, long revision) {
    int low = 0;
    int high = all.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all[middle].from <= revision) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
