package dev.etcdj.mvcc.hash;

import dev.etcdj.mvcc.KvStore.HashResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The hashes of the newest completed compactions (KV-114). Written by the compaction agent, read
/// by any thread.
public final class HashLog {
  /// LIM-24.
  private static final int KEPT = 10;

  /// Oldest first; replaced whole by the compaction agent, read by whoever answers HashKV.
  private volatile List<HashResult> newest = List.of();

  public void add(HashResult hash) {
    List<HashResult> next = new ArrayList<>(newest);
    next.add(hash);
    newest = List.copyOf(next.subList(Math.max(0, next.size() - KEPT), next.size()));
  }

  /// All kept, oldest first.
  public List<HashResult> all() {
    return newest;
  }

  /// That of the compaction at exactly `revision`.
  public @Nullable HashResult at(long revision) {
    for (HashResult hash : newest) {
      if (hash.hashRevision() == revision) {
        return hash;
      }
    }
    return null;
  }
}
