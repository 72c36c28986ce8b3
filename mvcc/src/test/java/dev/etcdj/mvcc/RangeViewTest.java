package dev.etcdj.mvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.LmdbBackend;
import dev.etcdj.mvcc.backend.LmdbOptions;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.RevisionKey;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Guarantee: a range whose values are left in the store answers byte for byte as one that copies
/// them, on disk and in batches not yet written; it goes on answering so while what it stands on is
/// overwritten, compacted and replaced; and however it ends, it gives back its place among the
/// readers of the file.
///
/// Method: the real file, with room for few readers. Replay: the seed is the parameter.
class RangeViewTest {
  private static final int MAX_READERS = 6;
  private static final ByteString ALL = ByteString.copyFrom(new byte[1]);

  @TempDir Path directory;
  private LmdbBackend backend;
  private KvStore store;
  private long nanos;

  @BeforeEach
  void open() {
    backend =
        LmdbBackend.open(
            directory,
            new LmdbOptions(1L << 30, MAX_READERS),
            BackendOptions.of(() -> nanos, () -> {}));
    store =
        KvStore.open(
            backend,
            new MapLeaseBook(),
            (_, _) -> {},
            new KvStore.Options(100, 1_000_000, () -> nanos, () -> {}));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private void put(String key, ByteString value) {
    WriteTxn write = store.beginWrite();
    var _ = write.put(new Op.Put(StoreFixture.bytes(key), value, 0, false, false, false));
    var _ = write.commit();
  }

  private void delete(String key) {
    WriteTxn write = store.beginWrite();
    var _ = write.deleteRange(new Op.DeleteRange(StoreFixture.bytes(key), ByteString.EMPTY, false));
    var _ = write.commit();
  }

  private void sync() {
    CompletableFuture<Void> done = backend.commit();
    while (!done.isDone()) {
      backend.doWork();
    }
    done.join();
  }

  private void compact(long revision) {
    WriteTxn write = store.beginWrite();
    CompletableFuture<Void> done = store.compact(revision, write.unit());
    var _ = write.commit();
    while (!done.isDone()) {
      nanos += 10_000_000;
      store.doWork();
      backend.doWork();
    }
    done.join();
  }

  private static ByteString random(Random random, int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return ByteString.copyFrom(value);
  }

  private static RangeQuery everything(long revision) {
    return new RangeQuery(
        ALL, ALL, revision, 0, SortOrder.NONE, SortTarget.KEY, false, false, 0, 0, 0, 0);
  }

  private static List<ByteString> read(RangeView range) {
    List<ByteString> kvs = new ArrayList<>();
    for (int i = 0; i < range.size(); i++) {
      kvs.add(ByteString.copyFrom(range.keyValue(i)));
      assertEquals(kvs.getLast().size(), range.length(i));
    }
    return kvs;
  }

  private static List<ByteString> read(RangeResult result) {
    return result.kvs().stream().map(ByteString::copyFrom).toList();
  }

  private void compare(RangeQuery query) {
    RangeResult copied = store.range(query);
    try (RangeView range = store.openRange(query)) {
      assertEquals(read(copied), read(range), query.toString());
      assertEquals(copied.count(), range.count());
      assertEquals(copied.more(), range.more());
      assertEquals(copied.revision(), range.revision());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void answersAsTheCopyingRangeDoes(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 1_500; step++) {
      String key = "key" + random.nextInt(200);
      switch (random.nextInt(12)) {
        case 0 -> delete(key);
        case 1 -> nanos += 60_000_000;
        case 2 -> backend.doWork();
        default -> put(key, random(random, random.nextInt(8) == 0 ? 9_000 : random.nextInt(60)));
      }
      if (step % 10 == 0) {
        compare(query(random));
      }
      if (step % 400 == 399) {
        compact(store.revision() - random.nextInt(100));
      }
    }
    sync();
    for (int i = 0; i < 200; i++) {
      compare(query(random));
    }
  }

  private RangeQuery query(Random random) {
    long oldest = Math.max(1, store.compactedRevision());
    long at = oldest + random.nextLong(store.revision() - oldest + 1);
    boolean plain = random.nextBoolean();
    return new RangeQuery(
        StoreFixture.bytes("key" + random.nextInt(200)),
        random.nextInt(3) == 0 ? StoreFixture.bytes("key" + random.nextInt(200)) : ALL,
        random.nextBoolean() ? 0 : at,
        random.nextInt(3) == 0 ? random.nextInt(40) : 0,
        plain ? SortOrder.NONE : SortOrder.values()[random.nextInt(3)],
        plain ? SortTarget.KEY : SortTarget.values()[random.nextInt(5)],
        random.nextInt(6) == 0,
        random.nextInt(10) == 0,
        random.nextInt(6) == 0 ? at : 0,
        random.nextInt(6) == 0 ? at : 0,
        random.nextInt(8) == 0 ? at : 0,
        random.nextInt(8) == 0 ? at : 0);
  }

  /// Its rows are removed from the newest state, pages are written again and again, and another
  /// store's rows take the place of all: none of that shows.
  @Test
  void staysAsItWasWhenOpened() {
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      put("key" + i, random(random, 5_000));
    }
    sync();
    for (int i = 0; i < 50; i++) {
      put("key" + 3 * i, random(random, 3_000));
    }
    long revision = store.revision();
    List<ByteString> before = read(store.range(everything(0)));
    try (RangeView now = store.openRange(everything(0));
        RangeView old = store.openRange(everything(revision - 50))) {
      List<ByteString> oldBefore = read(old);
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 300; i++) {
          put("key" + i, random(random, 4_000));
        }
        sync();
      }
      compact(store.revision());
      store.close();
      WriteUnit unit = backend.begin();
      for (long main = 2; main <= revision; main++) {
        unit.put(Bucket.KEY, RevisionKey.encode(main, 0, false), new byte[] {1});
      }
      unit.publish();
      sync();
      assertEquals(before, read(now));
      assertEquals(oldBefore, read(old));
      assertEquals(revision, now.revision());
    }
  }

  @Test
  void givesBackItsPlaceHoweverItEnds() {
    put("a", StoreFixture.bytes("1"));
    put("b", StoreFixture.bytes("2"));
    sync();
    compact(3);
    for (int i = 0; i < 10 * MAX_READERS; i++) {
      store.openRange(everything(0)).close();
      EtcdException future =
          assertThrows(EtcdException.class, () -> store.openRange(everything(99)));
      assertEquals(RpcError.FUTURE_REV.text(), future.text());
      EtcdException compacted =
          assertThrows(EtcdException.class, () -> store.openRange(everything(2)));
      assertEquals(RpcError.COMPACTED.text(), compacted.text());
    }
    WriteUnit unit = backend.begin();
    unit.delete(Bucket.KEY, RevisionKey.encode(2, 0, false));
    unit.publish();
    for (int i = 0; i < 10 * MAX_READERS; i++) {
      assertThrows(InvariantViolation.class, () -> store.openRange(everything(0)));
    }
    store.close();
    for (int i = 0; i < 10 * MAX_READERS; i++) {
      EtcdException replaced =
          assertThrows(EtcdException.class, () -> store.openRange(everything(0)));
      assertEquals(RpcError.LEADER_CHANGED.text(), replaced.text());
    }
    List<RangeView> all = new ArrayList<>();
    RangeQuery newer = RangeQuery.of(StoreFixture.bytes("b"), ByteString.EMPTY);
    for (int i = 0; i < MAX_READERS - 2; i++) {
      all.add(store.openRange(newer));
    }
    all.forEach(RangeView::close);
    assertTrue(all.stream().allMatch(range -> range.size() == 1));
  }

  @Test
  void aClosedRangeIsNotRead() {
    put("a", StoreFixture.bytes("1"));
    sync();
    RangeView range = store.openRange(everything(0));
    range.close();
    range.close();
    assertEquals(1, range.size());
    assertThrows(IllegalStateException.class, () -> range.keyValue(0));
  }
}
