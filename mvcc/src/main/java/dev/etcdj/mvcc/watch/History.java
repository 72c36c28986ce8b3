package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.KvStore;
import org.jspecify.annotations.Nullable;

/// What replay needs of a store.
interface History {
  long revision();

  /// -1 before the first compaction.
  long compactedRevision();

  /// Changes with `from` ≤ main ≤ `to` in revision order, until the visitor returns false.
  void scan(long from, long to, KvStore.HistoryVisitor visitor);

  /// Wire-form value of `key` at `revision`, null when absent or compacted.
  byte @Nullable [] valueAt(ByteString key, long revision);

  static History of(KvStore store) {
    return new History() {
      @Override
      public long revision() {
        return store.revision();
      }

      @Override
      public long compactedRevision() {
        return store.compactedRevision();
      }

      @Override
      public void scan(long from, long to, KvStore.HistoryVisitor visitor) {
        store.history(from, to, visitor);
      }

      @Override
      public byte @Nullable [] valueAt(ByteString key, long revision) {
        return store.valueAt(key, revision);
      }
    };
  }
}
