package dev.etcdj.mvcc;

import static dev.etcdj.mvcc.StoreFixture.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.compaction.CompactionMarks;
import dev.etcdj.mvcc.hash.RowHash;
import dev.etcdj.mvcc.schema.RevisionKey;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.proto.status.EtcdException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Guarantee: compaction is logical at once, physical in bounded slices, survives a crash between
/// any two of them, queues nothing, and leaves the hashes etcd leaves (KV-102..107, KV-114).
class CompactionTest {
  private final StoreFixture fixture = new StoreFixture(10);

  @Test
  void readsBelowFailAtOnceAndRowsGoInSlices() {
    overwrite(100);
    long at = fixture.store.revision() - 1;
    CompletableFuture<Void> done = fixture.compact(at);
    assertThrows(EtcdException.class, () -> read(at - 1));
    assertEquals(1, read(at).count());
    assertEquals(100, rows());
    assertEquals(0, fixture.store.nanosUntilDue());
    assertTrue(fixture.store.doWork());
    assertEquals(90, rows());
    assertFalse(fixture.store.doWork(), "the pause is not over");
    assertEquals(10_000_000, fixture.store.nanosUntilDue());
    fixture.nanos += 10_000_000;
    assertTrue(fixture.store.doWork());
    assertEquals(80, rows());
    assertFalse(done.isDone());
    fixture.finishCompaction();
    assertTrue(done.isDone());
    assertEquals(2, rows());
    assertEquals(Long.MAX_VALUE, fixture.store.nanosUntilDue());
    assertEquals(new CompactionMarks(at, at), marks());
  }

  @Test
  void resumesAfterACrashAtAnySlice() {
    for (int slices = 0; slices < 12; slices++) {
      StoreFixture crashed = new StoreFixture(10);
      for (int i = 0; i < 100; i++) {
        crashed.put("k", "v" + i);
      }
      crashed.compact(100);
      for (int i = 0; i < slices; i++) {
        crashed.nanos += 10_000_000;
        crashed.store.doWork();
      }
      crashed.restart();
      assertEquals(100, crashed.store.compactedRevision());
      assertEquals(101, crashed.store.revision());
      crashed.finishCompaction();
      try (ReadView view = crashed.backend.read()) {
        assertEquals(new CompactionMarks(100, 100), CompactionMarks.read(view));
      }
      crashed.restart();
      assertEquals(2, count(crashed));
      assertEquals(101, crashed.store.revision());
    }
  }

  /// A removal carries its own mark: with the unit that scheduled the compaction unpublished, a
  /// crash must still not show rows missing above the compacted revision.
  @Test
  void noRowGoesWithoutTheMark() {
    overwrite(30);
    WriteUnit unit = fixture.backend.begin();
    fixture.store.compact(20, unit);
    fixture.store.doWork();
    fixture.sync();
    fixture.restart();
    assertEquals(20, fixture.store.compactedRevision());
    assertEquals(31, fixture.store.revision());
  }

  /// Servers before 3.5.16 removed a tombstone at the compacted revision too, so the last row may
  /// be gone; the revision must not go back (KV-107).
  @Test
  void theRevisionSurvivesTheLossOfTheLastRow() {
    fixture.put("k", "v");
    fixture.delete("k", "");
    fixture.compact(3);
    fixture.finishCompaction();
    WriteUnit unit = fixture.backend.begin();
    unit.delete(Bucket.KEY, RevisionKey.encode(3, 0, true));
    unit.publish();
    fixture.restart();
    assertEquals(0, rows());
    assertEquals(3, fixture.store.revision());
    assertEquals(4, fixture.put("n", "v").revision());
  }

  /// KV-114: what follows an unfinished compaction leaves no hash.
  @Test
  void onlyACompactionAfterAFinishedOneLeavesAHash() {
    overwrite(100);
    fixture.compact(50);
    fixture.store.doWork();
    fixture.compact(60);
    fixture.finishCompaction();
    fixture.compact(70);
    fixture.finishCompaction();
    assertEquals(
        List.of(50L, 70L),
        fixture.store.compactionHashes().stream().map(KvStore.HashResult::hashRevision).toList());
  }

  /// A compaction runs to its end between a reader's look at the index and its look at the backend.
  @Test
  void readersStartOverWhenACompactionOvertakesThem() {
    overwrite(20);
    Runnable[] beforeRead = {() -> {}};
    Backend hooked =
        (Backend)
            Proxy.newProxyInstance(
                Backend.class.getClassLoader(),
                new Class<?>[] {Backend.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("read")) {
                    Runnable hook = beforeRead[0];
                    beforeRead[0] = () -> {};
                    hook.run();
                  }
                  return method.invoke(fixture.backend, arguments);
                });
    fixture.store =
        KvStore.open(
            hooked,
            fixture.leases,
            (revision, changes) -> {},
            new KvStore.Options(10, 0, () -> fixture.nanos, () -> {}));
    beforeRead[0] = this::overtake;
    assertEquals(22, read(0).revision());
    beforeRead[0] = this::overtake;
    assertThrows(EtcdException.class, () -> read(22));
    beforeRead[0] = this::overtake;
    KvStore.HashResult hash = fixture.store.hash(0);
    assertEquals(24, hash.compactRevision());
    assertEquals(fixture.store.hash(0), hash);
  }

  private void overtake() {
    fixture.put("k", "newer");
    fixture.compact(fixture.store.revision());
    fixture.finishCompaction();
  }

  @Test
  void aWaitingCompactionTakesInTheNext() {
    overwrite(100);
    List<CompletableFuture<Void>> all =
        List.of(fixture.compact(10), fixture.compact(20), fixture.compact(30), fixture.compact(90));
    fixture.store.doWork();
    CompletableFuture<Void> late = fixture.compact(95);
    fixture.finishCompaction();
    for (CompletableFuture<Void> one : all) {
      assertTrue(one.isDone() && !one.isCompletedExceptionally());
    }
    assertTrue(late.isDone());
    assertEquals(new CompactionMarks(95, 95), marks());
    assertEquals(101 - 95 + 1, rows());
    assertTrue(fixture.store.compactionHashes().size() <= 1);
  }

  /// KV-112: at the revision in which a key is deleted and put again (KV-77), etcd does not take
  /// the key for shown; and when no key is, it counts all that compaction left.
  @Test
  void hashWhereAKeyIsDeletedAndPutAgain() {
    fixture.put("b", "1");
    fixture.compact(2);
    fixture.finishCompaction();
    int alone = fixture.store.hash(2).hash();
    fixture.write(
        w -> {
          w.deleteRange(
              new Op.DeleteRange(StoreFixture.bytes("a"), StoreFixture.bytes("\0"), false));
          return w.put(
              new Op.Put(StoreFixture.bytes("b"), StoreFixture.bytes("2"), 0, false, false, false));
        });
    RowHash rows = new RowHash();
    try (ReadView view = fixture.backend.read()) {
      view.scan(
          Bucket.KEY,
          RevisionKey.encode(0, 0, false),
          RevisionKey.encode(9, 0, false),
          (key, value) -> {
            rows.add(key, value);
            return true;
          });
    }
    assertEquals(3, fixture.store.revision());
    assertEquals(rows.value(), fixture.store.hash(0).hash(), "all three rows count");
    assertEquals(alone, fixture.store.hash(2).hash());
    fixture.put("c", "1");
    fixture.put("b", "3");
    assertEquals(5, fixture.store.hash(0).hashRevision());
  }

  @Test
  void keepsTheTenNewestHashes() {
    for (int i = 0; i < 13; i++) {
      fixture.put("k" + i % 3, "v" + i);
      int before = fixture.store.hash(fixture.store.revision()).hash();
      fixture.compact(fixture.store.revision());
      fixture.finishCompaction();
      assertEquals(before, fixture.store.compactionHashes().getLast().hash());
    }
    List<KvStore.HashResult> kept = fixture.store.compactionHashes();
    assertEquals(10, kept.size());
    assertEquals(14, kept.getLast().hashRevision());
    assertEquals(13, kept.getLast().compactRevision());
    assertEquals(5, fixture.store.hash(5).hashRevision());
    assertThrows(EtcdException.class, () -> fixture.store.hash(4));
    assertThrows(EtcdException.class, () -> fixture.store.hash(15));
  }

  @Test
  void theIndexForgetsWithTheNextWrites() {
    for (int i = 0; i < 3000; i++) {
      fixture.put("gone" + i, "v");
    }
    fixture.delete("gone", "h");
    fixture.put("stays", "v");
    fixture.compact(fixture.store.revision());
    fixture.finishCompaction();
    int steps = 1;
    while (fixture.store.compactIndexStep()) {
      steps++;
      assertEquals(1, read(0).count());
      fixture.put("stays", "v" + steps);
    }
    assertTrue(steps > 1 && steps < 3000 / 64, steps + " steps");
    assertEquals(1, read(0).count());
    fixture.put("gone7", "again");
    assertEquals(2, read(0).count());
    assertEquals(1, WireKeyValue.parse(read(0).kvs().getFirst()).version());
  }

  @Test
  void aFullBackendHoldsTheAgentBack() {
    overwrite(30);
    fixture.sync();
    fixture.compact(31);
    fixture.backend.stall(true);
    while (fixture.backend.hasRoom()) {
      WriteUnit unit = fixture.backend.begin();
      for (int i = 0; i < 10_000; i++) {
        unit.put(Bucket.META, bytes("m" + i).toByteArray(), new byte[1]);
      }
      unit.publish();
    }
    assertFalse(fixture.store.doWork());
    fixture.backend.stall(false);
    fixture.finishCompaction();
    assertEquals(1, rows());
  }

  private void overwrite(int times) {
    for (int i = 0; i < times; i++) {
      fixture.put("k", "v" + i);
    }
  }

  private RangeResult read(long revision) {
    RangeQuery all =
        RangeQuery.of(ByteString.copyFrom(new byte[1]), ByteString.copyFrom(new byte[1]));
    return fixture.store.range(
        new RangeQuery(
            all.key(),
            all.rangeEnd(),
            revision,
            0,
            all.sortOrder(),
            all.sortTarget(),
            false,
            false,
            0,
            0,
            0,
            0));
  }

  private CompactionMarks marks() {
    try (ReadView view = fixture.backend.read()) {
      return CompactionMarks.read(view);
    }
  }

  private int rows() {
    return count(fixture);
  }

  private static int count(StoreFixture fixture) {
    int[] rows = new int[1];
    try (ReadView view = fixture.backend.read()) {
      view.scan(
          Bucket.KEY,
          new byte[0],
          null,
          (key, value) -> {
            rows[0]++;
            return true;
          });
    }
    return rows[0];
  }
}
