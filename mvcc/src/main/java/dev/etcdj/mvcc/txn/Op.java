package dev.etcdj.mvcc.txn;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.RangeQuery;

/// One operation of a transaction.
public sealed interface Op {
  /// A read.
  record Range(RangeQuery query) implements Op {}

  /// A write of one key (KV-65..70).
  record Put(
      ByteString key,
      ByteString value,
      long lease,
      boolean prevKv,
      boolean ignoreValue,
      boolean ignoreLease)
      implements Op {}

  /// A removal of one key or a range (KV-72..75).
  record DeleteRange(ByteString key, ByteString rangeEnd, boolean prevKv) implements Op {}

  /// A nested transaction.
  record Nested(Txn txn) implements Op {}
}
