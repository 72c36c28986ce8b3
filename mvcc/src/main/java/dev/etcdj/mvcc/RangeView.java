package dev.etcdj.mvcc;

import dev.etcdj.mvcc.backend.PinnedValues;
import java.nio.ByteBuffer;

/// Answer to a [RangeQuery] whose keys and values are left in the store, for answers too large to
/// be copied: what [RangeResult] is otherwise.
///
/// Holds a view of the backend, so close it soon and wait for nobody meanwhile. One thread at a
/// time.
public final class RangeView implements AutoCloseable {
  private final SnapshotReading reading;
  private final RangeReader.Totals totals;
  private final PinnedValues kvs;
  private boolean closed;

  RangeView(SnapshotReading reading, RangeReader.Totals totals, PinnedValues kvs) {
    this.reading = reading;
    this.totals = totals;
    this.kvs = kvs;
  }

  /// See [RangeResult#revision].
  public long revision() {
    return reading.revision();
  }

  /// See [RangeResult#count].
  public long count() {
    return totals.count();
  }

  /// See [RangeResult#more].
  public boolean more() {
    return totals.more();
  }

  /// Number of key-values.
  public int size() {
    return kvs.size();
  }

  /// Bytes of key-value `at`.
  public int length(int at) {
    return kvs.length(at);
  }

  /// Wire-form `mvccpb.KeyValue` `at`, in place: read only, and only until [#close].
  public ByteBuffer keyValue(int at) {
    if (closed) {
      throw new IllegalStateException("range is closed");
    }
    return kvs.get(at);
  }

  @Override
  public void close() {
    closed = true;
    reading.close();
  }
}
