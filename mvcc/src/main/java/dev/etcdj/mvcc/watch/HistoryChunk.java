package dev.etcdj.mvcc.watch;

import java.util.concurrent.atomic.AtomicInteger;

/// A piece of history read once for all watchers: every stored change with from ≤ revision ≤
/// through.
final class HistoryChunk {
  final long from;
  final long through;
  final RevisionEvents[] revisions;

  /// Guarded by the cache.
  long bytes;

  /// Streams that were told of this chunk and have not looked yet.
  private final AtomicInteger claims = new AtomicInteger();

  /// When the latest claim was made; watch-sync only.
  long claimedAtNanos;

  HistoryChunk(long from, long through, RevisionEvents[] revisions, long bytes) {
    this.from = from;
    this.through = through;
    this.revisions = revisions;
    this.bytes = bytes;
  }

  /// Index of the first entry at or above `revision`.
  int indexOf(long revision) {
    int low = 0;
    int high = revisions.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (revisions[middle].revision < revision) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  void claim(long nowNanos) {
    claimedAtNanos = nowNanos;
    claims.incrementAndGet();
  }

  void releaseClaim() {
    claims.decrementAndGet();
  }

  boolean isClaimed() {
    return claims.get() > 0;
  }
}
