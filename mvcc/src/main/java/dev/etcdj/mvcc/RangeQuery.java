package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;

/// A validated read of one key or of [key, rangeEnd).
///
/// @param rangeEnd empty: `key` alone; one zero byte: from `key` on (KV-32, KV-33)
/// @param revision ≤ 0: current
/// @param limit ≤ 0: none
/// @param minModRevision inclusive bounds, 0: none (KV-43); the other three alike
public record RangeQuery(
    ByteString key,
    ByteString rangeEnd,
    long revision,
    long limit,
    SortOrder sortOrder,
    SortTarget sortTarget,
    boolean keysOnly,
    boolean countOnly,
    long minModRevision,
    long maxModRevision,
    long minCreateRevision,
    long maxCreateRevision) {

  /// Wire numbers are the ordinals.
  public enum SortOrder {
    NONE,
    ASCEND,
    DESCEND
  }

  /// Wire numbers are the ordinals.
  public enum SortTarget {
    KEY,
    VERSION,
    CREATE,
    MOD,
    VALUE
  }

  /// A plain read at the current revision.
  public static RangeQuery of(ByteString key, ByteString rangeEnd) {
    return new RangeQuery(
        key, rangeEnd, 0, 0, SortOrder.NONE, SortTarget.KEY, false, false, 0, 0, 0, 0);
  }
}
