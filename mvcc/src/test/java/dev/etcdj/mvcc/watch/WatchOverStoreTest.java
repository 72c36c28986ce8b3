package dev.etcdj.mvcc.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.LeaseBook;
import dev.etcdj.mvcc.WriteTxn;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.txn.Op;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The same over the real store: history, previous values and compaction as it keeps them.
class WatchOverStoreTest {
  private static final LeaseBook NO_LEASES =
      new LeaseBook() {
        @Override
        public boolean exists(long lease) {
          return false;
        }

        @Override
        public void attach(ByteString key, long lease) {}

        @Override
        public long leaseOf(ByteString key) {
          return 0;
        }
      };

  private long nanos;
  private final MemoryBackend backend = new MemoryBackend(BackendOptions.of(() -> nanos, () -> {}));
  private final WatchHub hub =
      new WatchHub(
          new WatchHub.Options(1 << 20, 3, 2 << 20, Rig.SECOND, 1000),
          () -> nanos,
          bound -> 0,
          () -> {});
  private final KvStore store =
      KvStore.open(backend, NO_LEASES, hub, new KvStore.Options(1000, 0, () -> nanos, () -> {}));
  private final WatchStream stream;

  WatchOverStoreTest() {
    hub.attach(store);
    stream = hub.openStream(() -> {});
  }

  @AfterEach
  void close() {
    store.close();
    backend.close();
  }

  private void put(String key, String value) {
    WriteTxn write = store.beginWrite();
    write.put(
        new Op.Put(
            ByteString.copyFromUtf8(key), ByteString.copyFromUtf8(value), 0, false, false, false));
    write.commit();
  }

  private void delete(String key, String end) {
    WriteTxn write = store.beginWrite();
    write.deleteRange(
        new Op.DeleteRange(ByteString.copyFromUtf8(key), ByteString.copyFromUtf8(end), false));
    write.commit();
  }

  private void compact(long revision) {
    WriteUnit unit = backend.begin();
    store.compact(revision, unit);
    unit.publish();
    for (int i = 0; i < 100; i++) {
      nanos += 10_000_000;
      store.doWork();
      backend.doWork();
    }
  }

  private List<String> read() {
    List<String> texts = new ArrayList<>();
    do {
      for (var m = stream.poll(); m != null; m = stream.poll()) {
        texts.add(Rig.text(m));
      }
    } while (hub.doWork());
    return texts;
  }

  @Test
  void replaysHistoryThenFollows() { // WATCH-32, 40, 45, 46, 57
    put("a", "1");
    put("a", "2");
    put("b", "1");
    delete("a", "c");
    put("a", "3");
    put("z", "1");
    stream.create(Rig.range("a", "c").from(1).prevKv(true).spec());
    stream.create(Rig.key("a").from(3).spec());
    List<String> got = read();
    assertEquals(
        List.of(
            "created 0 @7",
            "created 1 @7",
            "events 0 @7 a=1#2 a=2#3<1#2> b=1#4 -a#5<2#3> -b#5<1#4> a=3#6",
            "events 1 @7 a=2#3 -a#5 a=3#6"),
        got);
    put("a", "4");
    assertEquals(List.of("events 0 @8 a=4#8<3#6>", "events 1 @8 a=4#8"), sorted(read()));
  }

  @Test
  void compactionIsHonoured() { // WATCH-32, 33, 58; KV-103
    for (int i = 2; i <= 8; i++) {
      put("a", "" + i);
    }
    delete("a", "");
    put("a", "10");
    compact(9);
    stream.create(Rig.key("a").from(8).spec());
    stream.create(Rig.key("a").from(9).prevKv(true).spec());
    assertEquals(
        List.of("created 0 @10", "created 1 @10", "compacted 0 at 9", "events 1 @10 -a#9 a=10#10"),
        read());
  }

  @Test
  void aPreviousValueThatWasLookedUpIsNotShownOnceCompacted() { // WATCH-58
    put("a", "1");
    put("a", "2");
    put("a", "3");
    stream.create(Rig.key("a").from(3).prevKv(true).spec());
    assertEquals(List.of("created 0 @4", "events 0 @4 a=2#3<1#2> a=3#4<2#3>"), read());
    compact(3);
    stream.create(Rig.key("a").from(3).prevKv(true).spec());
    assertEquals(List.of("created 1 @4", "events 1 @4 a=2#3 a=3#4<2#3>"), read());
  }

  private static List<String> sorted(List<String> texts) {
    return texts.stream().sorted().toList();
  }

  @Test
  void manyRevisionsComeThroughSmallBatches() { // WATCH-46, 110
    for (int i = 0; i < 3000; i++) {
      put("k" + i % 7, "" + i);
    }
    stream.create(Rig.range("k", "l").from(1).spec());
    String all = String.join(" ", read()).replaceAll("(created|events) 0 @\\d+ ?", "").strip();
    String[] events = all.split(" +");
    assertEquals(3000, events.length);
    for (int i = 0; i < 3000; i++) {
      assertEquals("k" + i % 7 + "=" + i + "#" + (i + 2), events[i]);
    }
    assertTrue(hub.unsyncedCount() == 0);
  }

  @Test
  void whatNobodyWatchedIsNotKeptButStillThere() { // WATCH-32
    stream.create(Rig.key("k").spec());
    put("k", "0");
    assertEquals(List.of("created 0 @1", "events 0 @2 k=0#2"), read());
    assertTrue(hub.fanout.recent.bytes() > 0);
    stream.cancel(0);
    assertEquals(List.of("cancelled 0 @2"), read());
    long missed = Fanout.MAX_UNWATCHED + 10;
    for (long i = 1; i <= missed; i++) {
      put("k", "" + i);
    }
    assertEquals(0, hub.fanout.recent.bytes());
    stream.create(Rig.key("k").from(missed).spec());
    put("k", "last");
    String got = String.join(" ", read()).replaceAll("(created|events) \\d+ @\\d+ ?", "").strip();
    assertEquals(
        "k=%d#%d k=%d#%d k=%d#%d k=last#%d"
            .formatted(missed - 2, missed, missed - 1, missed + 1, missed, missed + 2, missed + 3),
        got.replaceAll(" +", " "));
  }
}
