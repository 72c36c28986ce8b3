package dev.etcdj.mvcc;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.PinnedValues;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.schema.RevisionKey;
import org.jspecify.annotations.Nullable;

/// A reader's state: what was published, and a backend view opened when the first value is asked
/// for. The view comes second, so it holds every value the index names, unless a compaction that
/// was decided in between has removed it; [#rowsGone] tells.
final class SnapshotReading implements Reading, AutoCloseable {
  private static final byte[] GONE = new byte[0];

  private final Published state;
  private final Backend backend;
  private @Nullable ReadView view;
  private boolean rowsGone;

  SnapshotReading(Published state, Backend backend) {
    this.state = state;
    this.backend = backend;
  }

  @Override
  public IndexView index() {
    return state.index();
  }

  @Override
  public long revision() {
    return state.revision();
  }

  @Override
  public long compacted() {
    return state.compacted();
  }

  private ReadView view() {
    ReadView from = view;
    if (from == null) {
      from = backend.read();
      view = from;
    }
    return from;
  }

  /// Appends the stored change of that revision to `into`, readable there until [#close].
  void pin(long main, int sub, PinnedValues into) {
    if (!view().pin(Bucket.KEY, RevisionKey.encode(main, sub, false), into)) {
      rowsGone = true;
    }
  }

  @Override
  public byte[] value(long main, int sub) {
    byte[] value = view().get(Bucket.KEY, RevisionKey.encode(main, sub, false));
    if (value == null) {
      rowsGone = true;
      return GONE;
    }
    return value;
  }

  /// Whether a value was missing, so that the answer is worthless.
  boolean rowsGone() {
    return rowsGone;
  }

  @Override
  public void close() {
    if (view != null) {
      view.close();
    }
  }
}
