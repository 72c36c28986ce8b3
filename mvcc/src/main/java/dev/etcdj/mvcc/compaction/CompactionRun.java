package dev.etcdj.mvcc.compaction;

import dev.etcdj.mvcc.WireKeyValue;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.hash.RowHash;
import dev.etcdj.mvcc.index.Hit;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One compaction's walk over the rows up to its revision C. What stays (KV-103): of each key the
/// newest row up to C if it is a put; a tombstone if it is of C itself.
///
/// The index answers which row that is, in any state from the moment C was decided on: later
/// changes do not alter what is newest up to C, and pruning keeps exactly that.
final class CompactionRun {
  private final Backend backend;
  private final Compactor.Job job;
  private final RowHash hash = new RowHash();
  private final Hit hit = new Hit();
  private byte[] from = RevisionKey.encode(0, 0, false);

  CompactionRun(Backend backend, Compactor.Job job) {
    this.backend = backend;
    this.job = job;
  }

  Compactor.Job job() {
    return job;
  }

  /// Hash over the rows walked, as HashKV of C relative to the previous compaction.
  int hash() {
    return hash.value();
  }

  /// Walks up to `limit` rows and publishes the removal of those that go.
  ///
  /// @param scheduled newest revision scheduled, marked beside each removal
  /// @return whether there may be more
  boolean slice(IndexView index, int limit, long scheduled) {
    List<byte[]> gone = new ArrayList<>();
    int[] rows = new int[1];
    try (ReadView view = backend.read()) {
      view.scan(
          Bucket.KEY,
          from,
          RevisionKey.encode(job.revision() + 1, 0, false),
          (key, value) -> {
            boolean stays = stays(index, key, value);
            if (!stays) {
              gone.add(key);
            }
            addToHash(stays, key, value);
            from = Arrays.copyOf(key, key.length + 1);
            return ++rows[0] < limit;
          });
    }
    if (!gone.isEmpty()) {
      WriteUnit unit = backend.begin();
      for (byte[] key : gone) {
        unit.delete(Bucket.KEY, key);
      }
      CompactionMarks.putScheduled(unit, scheduled);
      unit.publish();
    }
    return rows[0] == limit;
  }

  private boolean stays(IndexView index, byte[] key, byte[] value) {
    long main = RevisionKey.main(key);
    if (RevisionKey.isTombstone(key)) {
      return main == job.revision()
          && !index.find(WireKeyValue.parse(value).keyBytes(), job.revision(), hit);
    }
    return index.find(WireKeyValue.parse(value).keyBytes(), job.revision(), hit)
        && hit.modMain() == main
        && hit.modSub() == RevisionKey.sub(key);
  }

  /// KV-112 with R = C and the previous compacted revision.
  private void addToHash(boolean stays, byte[] key, byte[] value) {
    long main = RevisionKey.main(key);
    boolean counts = main > job.previous() || (stays && !RevisionKey.isTombstone(key));
    if (counts) {
      hash.add(key, value);
    }
  }
}
