package dev.etcdj.mvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.Txn;
import dev.etcdj.proto.status.EtcdException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// Guarantee: readers never see a part of a revision, however they race with writes, compactions,
/// physical removal and index pruning (KV-51, KV-98).
///
/// Method: each transaction deletes some of a fixed set of keys and puts the revision into all
/// others, which carry a common number; a reader checks that what it sees is of one transaction.
/// Real threads: one writes and prunes, one compacts, three read.
class ConcurrentReadTest {
  private static final int KEYS = 100;
  private static final int TRANSACTIONS = 500;
  private static final ByteString ALL = ByteString.copyFrom(new byte[1]);

  private final StoreFixture fixture = new StoreFixture(64);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean writing = true;

  @Test
  void readersSeeWholeRevisionsOnly() throws InterruptedException {
    write(new Random(0), 0);
    List<Thread> threads = new ArrayList<>();
    threads.add(start("compaction", this::compactInBackground));
    for (int i = 0; i < 3; i++) {
      int seed = i;
      threads.add(start("reader-" + i, () -> read(new Random(seed))));
    }
    Random random = new Random(9);
    for (int i = 1; i < TRANSACTIONS && failure.get() == null; i++) {
      write(random, i);
      if (i % 10 == 0) {
        long at = fixture.store.revision() - random.nextInt(8);
        if (at > fixture.store.compactedRevision()) {
          fixture.compact(at);
        }
      }
    }
    writing = false;
    for (Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get(), () -> String.valueOf(failure.get()));
    assertTrue(fixture.store.compactedRevision() > 0);
  }

  private Thread start(String name, Runnable task) {
    return Thread.ofPlatform()
        .name(name)
        .start(
            () -> {
              try {
                task.run();
              } catch (Throwable t) {
                failure.compareAndSet(null, t);
              }
            });
  }

  /// Keys below a random one are deleted, the others carry `number` as their value.
  private void write(Random random, int number) {
    int live = random.nextInt(KEYS);
    List<Op> ops = new ArrayList<>();
    ops.add(new Op.DeleteRange(key(0), key(live), false));
    ByteString value = ByteString.copyFromUtf8(live + " " + number);
    for (int i = live; i < KEYS; i++) {
      ops.add(new Op.Put(key(i), value, 0, false, false, false));
    }
    fixture.txn(new Txn(List.of(), ops, List.of()));
    while (fixture.backend.doWork()) {
      // Nobody else commits.
    }
  }

  private void compactInBackground() {
    while (writing) {
      fixture.nanos += 10_000_000;
      if (!fixture.store.doWork()) {
        LockSupport.parkNanos(50_000);
      }
    }
  }

  private void read(Random random) {
    while (writing) {
      long current = fixture.store.revision();
      long at = random.nextBoolean() ? 0 : Math.max(2, current - random.nextInt(20));
      try {
        check(
            fixture.store.range(
                new RangeQuery(
                    ALL,
                    ALL,
                    at,
                    0,
                    RangeQuery.SortOrder.NONE,
                    RangeQuery.SortTarget.KEY,
                    false,
                    false,
                    0,
                    0,
                    0,
                    0)),
            at);
      } catch (EtcdException compacted) {
        assertTrue(at > 0 && at < fixture.store.compactedRevision(), compacted.text());
      }
    }
  }

  private static void check(RangeResult result, long at) {
    WireKeyValue first = WireKeyValue.parse(result.kvs().getFirst());
    String value = first.value().toStringUtf8();
    int live = Integer.parseInt(value.substring(0, value.indexOf(' ')));
    assertEquals(KEYS - live, result.kvs().size());
    assertEquals(KEYS - live, result.count());
    assertEquals(at == 0 ? result.revision() : at, first.modRevision());
    for (byte[] raw : result.kvs()) {
      WireKeyValue kv = WireKeyValue.parse(raw);
      assertEquals(first.modRevision(), kv.modRevision());
      assertEquals(first.value(), kv.value());
    }
  }

  private static ByteString key(int number) {
    return ByteString.copyFromUtf8("key%05d".formatted(number));
  }
}
