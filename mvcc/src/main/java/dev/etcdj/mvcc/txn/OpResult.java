package dev.etcdj.mvcc.txn;

import dev.etcdj.mvcc.RangeResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Answer to one [Op]. `revision` is what its response header reports (KV-13, KV-91).
public sealed interface OpResult {
  /// Of [Op.Range].
  record Range(RangeResult result) implements OpResult {}

  /// Of [Op.Put]; `prevKv` wire-form, null when absent or not asked for.
  record Put(long revision, byte @Nullable [] prevKv) implements OpResult {}

  /// Of [Op.DeleteRange]; `prevKvs` wire-form, in key order, empty when not asked for.
  record DeleteRange(long revision, long deleted, List<byte[]> prevKvs) implements OpResult {}

  /// Of [Op.Nested], and of a whole transaction.
  record Nested(long revision, boolean succeeded, List<OpResult> responses) implements OpResult {}
}
