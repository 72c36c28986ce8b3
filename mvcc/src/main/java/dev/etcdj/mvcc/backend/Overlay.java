package dev.etcdj.mvcc.backend;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What one batch held when it was looked at: immutable, and shared by all readers of that moment.
///
/// Bucket `key` grows at its end, so its puts are an array in revision order (`log`: key, value,
/// key, value…), of which a later moment sees more and an earlier one less. Everything else,
/// and what compaction removes from `key`, is in `edits`, one tree per bucket with null values for
/// deletions. Edits win over the log.
final class Overlay {
  /// Answer of [#lookup] for a deleted key; told from an empty value by identity.
  private static final byte[] DELETED = new byte[0];

  private static final int BUCKETS = Bucket.values().length;

  /// Nothing at all.
  static final Overlay EMPTY = new Overlay(new byte[0][], 0, new @Nullable Tree[BUCKETS], 0, 0, 0);

  private final byte[][] log;
  private final int logSize;
  private final @Nullable Tree[] edits;

  /// Position of the last unit inside.
  final long position;

  /// Bytes of the keys and values inside.
  final long bytes;

  /// Operations inside that are not in the log.
  final int editCount;

  /// @param logSize pairs in `log`; slots behind them belong to the future
  Overlay(
      byte[][] log, int logSize, @Nullable Tree[] edits, int editCount, long position, long bytes) {
    this.log = log;
    this.logSize = logSize;
    this.edits = edits;
    this.editCount = editCount;
    this.position = position;
    this.bytes = bytes;
  }

  int logSize() {
    return logSize;
  }

  byte[] logKey(int at) {
    return log[2 * at];
  }

  byte[] logValue(int at) {
    return log[2 * at + 1];
  }

  @Nullable Tree edits(Bucket bucket) {
    return edits[bucket.ordinal()];
  }

  /// Whether an answer of [#lookup] means that the key is gone.
  @SuppressWarnings("ReferenceEquality")
  static boolean isDeleted(byte[] answer) {
    return answer == DELETED;
  }

  /// Value of `key`, or one that [#isDeleted], or null if this batch says nothing of it.
  byte @Nullable [] lookup(Bucket bucket, byte[] key) {
    Tree edit = Tree.find(edits[bucket.ordinal()], key);
    if (edit != null) {
      byte[] value = edit.value;
      return value == null ? DELETED : value;
    }
    if (bucket != Bucket.KEY || logSize == 0) {
      return null;
    }
    int at = lowerBound(key);
    return at < logSize && Arrays.equals(logKey(at), key) ? logValue(at) : null;
  }

  /// Appends what this batch says of `bucket` from `from` on; what wins comes first.
  int sources(Bucket bucket, byte[] from, Source[] to, int at) {
    Tree tree = edits[bucket.ordinal()];
    if (tree != null) {
      to[at++] = new Tree.Walk(tree, from);
    }
    if (bucket == Bucket.KEY && logSize > 0) {
      to[at++] = new LogWalk(lowerBound(from));
    }
    return at;
  }

  private int lowerBound(byte[] key) {
    int low = 0;
    int high = logSize;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(logKey(middle), key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private final class LogWalk implements Source {
    private int at;

    LogWalk(int at) {
      this.at = at;
    }

    @Override
    public byte @Nullable [] key() {
      return at < logSize ? logKey(at) : null;
    }

    @Override
    public byte[] value() {
      return logValue(at);
    }

    @Override
    public void next() {
      at++;
    }
  }
}
