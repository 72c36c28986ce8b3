package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The versioned store. One writer (the apply loop), any number of readers without locks.
public final class KvStore implements AutoCloseable {

  /// Receives the events of each committed revision, in order, on the apply loop, after the
  /// revision is readable.
  @FunctionalInterface
  public interface EventSink {
    void committed(long revision, List<Event> events);
  }

  /// Opens over `backend`: rebuilds the index, reports the live keys' leases to `leases`
  /// (LEASE-24), resumes an interrupted compaction (KV-107).
  public static KvStore open(Backend backend, LeaseBook leases, EventSink events, Options options) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// @param compactionBatchLimit entries per slice of physical compaction (LIM-23)
  /// @param compactionSleepNanos pause between slices
  /// @param wake tells the runner of [#doWork] that there is work
  public record Options(int compactionBatchLimit, long compactionSleepNanos, Runnable wake) {}

  /// Current main revision; 1 for an empty store.
  public long revision() {
    throw new UnsupportedOperationException("mvcc");
  }

  /// Compacted revision; -1 before the first compaction.
  public long compactedRevision() {
    throw new UnsupportedOperationException("mvcc");
  }

  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED
  public RangeResult range(RangeQuery query) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// Runs a transaction that holds only ranges against one consistent picture (KV-94).
  public OpResult.Nested readOnlyTxn(Txn txn) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// Opens a write. Apply loop only; one at a time.
  public WriteTxn beginWrite() {
    throw new UnsupportedOperationException("mvcc");
  }

  /// Sets the compacted revision at once, inside `unit`, and schedules the physical work.
  ///
  /// @return completes when the physical work is done and durable
  /// @throws dev.etcdj.proto.status.EtcdException COMPACTED, FUTURE_REV (KV-100)
  public CompletableFuture<Void> compact(long revision, dev.etcdj.mvcc.backend.WriteUnit unit) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// KV-110..115. Any thread; slow.
  public HashResult hash(long revision) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// @param compactRevision compacted revision the hash is relative to
  /// @param hashRevision revision hashed
  public record HashResult(
      int hash, long compactRevision, long hashRevision, long currentRevision) {}

  /// Stored changes with `fromMain` ≤ main ≤ `toMain` in revision order, until the visitor
  /// returns false.
  public void history(long fromMain, long toMain, HistoryVisitor visitor) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// Receives one change; returns whether to go on.
  @FunctionalInterface
  public interface HistoryVisitor {
    boolean visit(Event event);
  }

  /// Wire-form value of `key` at `revision`, or null (also when compacted): prev_kv of watch
  /// events.
  public byte @org.jspecify.annotations.Nullable [] valueAt(ByteString key, long revision) {
    throw new UnsupportedOperationException("mvcc");
  }

  /// Agent step of the compaction thread: one slice when due.
  public boolean doWork() {
    throw new UnsupportedOperationException("mvcc");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("mvcc");
  }
}
