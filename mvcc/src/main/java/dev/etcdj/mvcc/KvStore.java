package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.compaction.CompactionMarks;
import dev.etcdj.mvcc.compaction.Compactor;
import dev.etcdj.mvcc.hash.HashLog;
import dev.etcdj.mvcc.hash.StoreHash;
import dev.etcdj.mvcc.index.Hit;
import dev.etcdj.mvcc.index.KeyIndex;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The versioned store. One writer (the apply loop), any number of readers without locks.
public final class KvStore implements AutoCloseable {
  /// Leaves pruned before a write while a finished compaction leaves work in the index: some tens
  /// of microseconds, which the next writes pay so that nobody has to wait for all of it.
  private static final int PRUNE_LEAVES = 8;

  private final Backend backend;
  private final LeaseBook leases;
  private final EventSink events;
  private final KeyIndex index;
  private final HashLog hashes = new HashLog();
  private final Compactor compactor;

  /// Written by the apply loop, read by every reader.
  private volatile Published published;

  /// Up to where the index was pruned, or is being. Apply loop.
  private long pruned;

  private @Nullable StoreWrite open;

  /// Receives the events of each committed revision, in order, on the apply loop, after the
  /// revision is readable.
  @FunctionalInterface
  public interface EventSink {
    void committed(long revision, List<Event> events);
  }

  /// @param compactionBatchLimit entries per slice of physical compaction (LIM-23)
  /// @param compactionSleepNanos pause between slices
  /// @param nanoClock monotonic
  /// @param wake tells the runner of [#doWork] that there is work
  public record Options(
      int compactionBatchLimit, long compactionSleepNanos, LongSupplier nanoClock, Runnable wake) {}

  /// Held for a slice of compaction, so that closing waits for it.
  private final ReentrantLock compacting = new ReentrantLock();

  /// Set by the apply loop under `compacting`, read by any thread.
  private volatile boolean closed;

  private KvStore(
      Backend backend, LeaseBook leases, EventSink events, Options options, StoredState stored) {
    this.backend = backend;
    this.leases = leases;
    this.events = events;
    this.index = stored.index();
    CompactionMarks marks = stored.marks();
    this.published = new Published(index.freeze(), stored.revision(), marks.compacted());
    this.pruned = marks.finished();
    this.compactor =
        new Compactor(
            backend,
            () -> published.index(),
            hashes,
            options.compactionBatchLimit(),
            options.compactionSleepNanos(),
            options.nanoClock(),
            options.wake(),
            marks.finished());
    if (marks.scheduled() > marks.finished()) {
      compactor.resume(marks.scheduled());
    }
  }

  /// Opens over `backend`: rebuilds the index, reports the live keys' leases to `leases`
  /// (LEASE-24), resumes an interrupted compaction (KV-107).
  ///
  /// @throws StorageException if a stored row cannot be read
  public static KvStore open(Backend backend, LeaseBook leases, EventSink events, Options options) {
    return new KvStore(backend, leases, events, options, StoredState.load(backend, leases));
  }

  /// Current main revision; 1 for an empty store.
  public long revision() {
    return published.revision();
  }

  /// Compacted revision; -1 before the first compaction.
  public long compactedRevision() {
    return published.compacted();
  }

  /// Any thread.
  ///
  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED
  public RangeResult range(RangeQuery query) {
    return read(reading -> RangeReader.read(reading, query));
  }

  /// The same answer as [#range] gives, its values left where they are. For large ones; to be
  /// closed soon. Any thread.
  ///
  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED
  public RangeView openRange(RangeQuery query) {
    while (true) {
      Published now = published;
      SnapshotReading reading = new SnapshotReading(now, backend);
      boolean whole = false;
      try {
        RangeView answer = RangeReader.open(reading, query);
        whole = !reading.rowsGone();
        if (whole) {
          return answer;
        }
      } finally {
        if (!whole) {
          reading.close();
        }
      }
      explainRowsGone(now);
    }
  }

  /// Runs a transaction that holds only ranges against one consistent picture (KV-94). Any thread.
  ///
  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED
  public OpResult.Nested readOnlyTxn(Txn txn) {
    return read(
        reading -> {
          TxnPlan plan = TxnPlan.of(reading, txn);
          WriteChecks.check(reading, leases, plan.ops());
          List<OpResult> responses = new ArrayList<>(plan.ops().size());
          for (Op op : plan.ops()) {
            if (!(op instanceof Op.Range range)) {
              throw new InvariantViolation("a read-only transaction holds " + op.getClass());
            }
            responses.add(new OpResult.Range(RangeReader.read(reading, range.query())));
          }
          return new OpResult.Nested(reading.revision(), plan.succeeded(), responses);
        });
  }

  /// Opens a write. Apply loop only; one at a time.
  public WriteTxn beginWrite() {
    if (open != null) {
      throw new InvariantViolation("two writes open");
    }
    if (beginPrune()) {
      index.pruneStep(PRUNE_LEAVES);
    }
    StoreWrite write = new StoreWrite(this, published, index, backend, leases);
    open = write;
    return write;
  }

  /// Sets the compacted revision at once, inside `unit`, and schedules the physical work, which may
  /// begin before `unit` is published. Apply loop only; all units of earlier entries are published.
  ///
  /// @return completes when the physical work is done and durable; on the backend's thread
  /// @throws dev.etcdj.proto.status.EtcdException COMPACTED, FUTURE_REV (KV-100)
  public CompletableFuture<Void> compact(long revision, WriteUnit unit) {
    if (open != null && open.hasChanged()) {
      throw new InvariantViolation("compaction during a write");
    }
    Published now = published;
    if (revision <= now.compacted()) {
      throw RpcError.COMPACTED.exception();
    }
    if (revision > now.revision()) {
      throw RpcError.FUTURE_REV.exception();
    }
    CompactionMarks.putScheduled(unit, revision);
    published = now.withCompacted(revision);
    return compactor.schedule(revision, now.compacted());
  }

  /// Completes when the physical work of all compactions so far is done and durable
  /// (KV-105). Any thread.
  public CompletableFuture<Void> compactionIdle() {
    return compactor.idle();
  }

  /// Drops from the index, in a bounded step, what a finished compaction made unreachable. Every
  /// [#beginWrite] does a step, too; the apply loop may call this when it is idle.
  ///
  /// @return whether there is more to do
  public boolean compactIndexStep() {
    if (open != null || !beginPrune()) {
      return false;
    }
    boolean more = index.pruneStep(PRUNE_LEAVES);
    published = published.withIndex(index.freeze());
    return more;
  }

  private boolean beginPrune() {
    long finished = compactor.finished();
    if (!index.isPruning() && finished > pruned) {
      index.beginPrune(finished);
      pruned = finished;
    }
    return index.isPruning();
  }

  /// KV-110..115. Any thread; slow.
  ///
  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED
  public HashResult hash(long revision) {
    HashResult kept = revision > 0 ? hashes.at(revision) : null;
    if (kept != null) {
      return new HashResult(
          kept.hash(), kept.compactRevision(), kept.hashRevision(), published.revision());
    }
    while (true) {
      Published now = published;
      long at = revision == 0 ? now.revision() : revision;
      if (at > now.revision()) {
        throw RpcError.FUTURE_REV.exception();
      }
      if (at > 0 && at < now.compacted()) {
        throw RpcError.COMPACTED.exception();
      }
      StoreHash hash = new StoreHash(backend, now.index(), at, now.compacted());
      boolean whole = hash.run(() -> published.compacted() == now.compacted());
      refuseWhenClosed();
      if (whole) {
        return new HashResult(hash.value(), now.compacted(), at, now.revision());
      }
    }
  }

  /// Hashes of the newest completed compactions, oldest first (KV-114). Any thread.
  public List<HashResult> compactionHashes() {
    return hashes.all();
  }

  /// @param compactRevision compacted revision the hash is relative to
  /// @param hashRevision revision hashed
  public record HashResult(
      int hash, long compactRevision, long hashRevision, long currentRevision) {}

  /// Stored changes with `fromMain` ≤ main ≤ `toMain` in revision order, until the visitor
  /// returns false; never past the current revision. What a compaction has removed is left out, so
  /// a caller that needs all of it checks [#compactedRevision] afterwards. No backend view is held
  /// while the visitor runs. Any thread.
  public void history(long fromMain, long toMain, HistoryVisitor visitor) {
    new HistoryReader(backend, visitor).run(fromMain, Math.min(toMain, revision()));
  }

  /// Receives one change; returns whether to go on.
  @FunctionalInterface
  public interface HistoryVisitor {
    boolean visit(Event event);
  }

  /// Wire-form value of `key` at `revision`, or null (also when compacted): prev_kv of watch
  /// events. Any thread.
  public byte @Nullable [] valueAt(ByteString key, long revision) {
    Found found =
        read(
            reading -> {
              Hit hit = new Hit();
              boolean exists =
                  revision >= reading.compacted()
                      && reading.index().find(key.toByteArray(), revision, hit);
              return new Found(exists ? reading.value(hit.modMain(), hit.modSub()) : null);
            });
    return found.value;
  }

  private record Found(byte @Nullable [] value) {}

  /// Runs `query` on the newest state, again if a compaction took rows away under it.
  private <T> T read(Function<Reading, T> query) {
    while (true) {
      Published now = published;
      try (SnapshotReading reading = new SnapshotReading(now, backend)) {
        T answer = query.apply(reading);
        if (!reading.rowsGone()) {
          return answer;
        }
      }
      explainRowsGone(now);
    }
  }

  /// Returns when a compaction is why a read of `now` missed rows: it is to be done again.
  private void explainRowsGone(Published now) {
    refuseWhenClosed();
    if (published.compacted() == now.compacted()) {
      throw new InvariantViolation("a value is missing at revision " + now.revision());
    }
  }

  /// Agent step of the compaction thread: one slice when due.
  public boolean doWork() {
    compacting.lock();
    try {
      return !closed && compactor.doWork();
    } finally {
      compacting.unlock();
    }
  }

  /// Nanoseconds until [#doWork] has something to do, [Long#MAX_VALUE] for nothing. Its thread
  /// only.
  public long nanosUntilDue() {
    return closed ? Long.MAX_VALUE : compactor.nanosUntilDue();
  }

  /// A reader that finds rows gone because another store took this one's place: its client may ask
  /// again.
  private void refuseWhenClosed() {
    if (closed) {
      throw RpcError.LEADER_CHANGED.exception();
    }
  }

  /// Ends use of the store; the backend stays open, being its owner's, and its contents may be
  /// replaced once this returns. What compaction has not done yet is resumed at the next open;
  /// readers that come too late are refused.
  @Override
  public void close() {
    if (open != null) {
      throw new InvariantViolation("closed with a write open");
    }
    compacting.lock();
    closed = true;
    compacting.unlock();
  }

  /// A write that changed something was published by the backend.
  void publish(long revision, List<Event> changes) {
    published = new Published(index.freeze(), revision, published.compacted());
    open = null;
    events.committed(revision, changes);
  }

  /// The open write ended without a change.
  void endUnchanged() {
    open = null;
  }
}
