package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A store over the in-memory backend with a clock the test moves.
final class StoreFixture {
  long nanos;
  MemoryBackend backend;
  MapLeaseBook leases = new MapLeaseBook();
  KvStore store;
  final List<List<Event>> events = new ArrayList<>();
  final int batchLimit;

  StoreFixture() {
    this(1000);
  }

  StoreFixture(int compactionBatchLimit) {
    batchLimit = compactionBatchLimit;
    backend = new MemoryBackend(backendOptions());
    open();
  }

  private BackendOptions backendOptions() {
    return BackendOptions.of(() -> nanos, () -> {});
  }

  private void open() {
    store =
        KvStore.open(
            backend,
            leases,
            (revision, changes) -> {
              for (Event event : changes) {
                if (event.revision().main() != revision || store.revision() != revision) {
                  throw new AssertionError("events of " + event + " at revision " + revision);
                }
              }
              events.add(List.copyOf(changes));
            },
            new KvStore.Options(batchLimit, 10_000_000, () -> nanos, () -> {}));
  }

  /// Ends without a commit and opens what was durable; with `random` maybe more than that.
  void crash(@Nullable RandomGenerator random) {
    backend = backend.crash(backendOptions(), random);
    reopenWithLeases();
  }

  /// Commits everything, then opens it again.
  void restart() {
    sync();
    backend = backend.crash(backendOptions(), null);
    reopenWithLeases();
  }

  private void reopenWithLeases() {
    MapLeaseBook before = leases;
    leases = new MapLeaseBook();
    leases.granted.addAll(before.granted);
    open();
  }

  /// Makes all that was published durable.
  void sync() {
    CompletableFuture<Void> done = backend.commit();
    while (!done.isDone()) {
      backend.doWork();
    }
    done.join();
  }

  <T> T write(Function<WriteTxn, T> change) {
    WriteTxn write = store.beginWrite();
    try {
      return change.apply(write);
    } finally {
      write.commit();
    }
  }

  OpResult.Put put(String key, String value) {
    return write(w -> w.put(new Op.Put(bytes(key), bytes(value), 0, true, false, false)));
  }

  OpResult.DeleteRange delete(String key, String end) {
    return write(w -> w.deleteRange(new Op.DeleteRange(bytes(key), bytes(end), true)));
  }

  OpResult.Nested txn(Txn txn) {
    return write(w -> w.txn(txn));
  }

  CompletableFuture<Void> compact(long revision) {
    return write(w -> store.compact(revision, w.unit()));
  }

  /// Lets the compaction agent run to its end.
  void finishCompaction() {
    CompletableFuture<Void> idle = store.compactionIdle();
    while (!idle.isDone()) {
      nanos += 10_000_000;
      store.doWork();
      backend.doWork();
    }
    idle.join();
  }

  void pruneIndex() {
    while (store.compactIndexStep()) {
      // Each step does some.
    }
  }

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
