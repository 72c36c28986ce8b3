package dev.etcdj.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.io.MemoryFileStore;
import dev.etcdj.wal.io.MemoryFileStore.Survival;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// One write and one fdatasync for whatever is queued; `done` only for what is durable; after a
/// failure nothing (RAFT-114, RAFT-118). The disk is the one in memory, so that it can fail.
@NullUnmarked
class WalWriterTest {
  private static final Path DIR = Path.of("/wal");
  private static final int SEGMENT_BYTES = 32_768;
  private static final WalConfig CONFIG = new WalConfig(SEGMENT_BYTES, false, 2);

  private final MemoryFileStore files = new MemoryFileStore();
  private final List<Long> done = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private final AtomicLong wroteBytes = new AtomicLong();
  private final AtomicLong fsyncs = new AtomicLong();
  private final AtomicLong wakes = new AtomicLong();
  private WalWriter writer;
  private Wal wal;

  @BeforeEach
  void open() {
    wal = Wal.create(files, DIR, new WalMetadata(1, 2), CONFIG);
    WalWriter.WalMetrics metrics =
        new WalWriter.WalMetrics() {
          @Override
          public void fsynced(long nanos) {
            fsyncs.incrementAndGet();
          }

          @Override
          public void wrote(long bytes) {
            wroteBytes.addAndGet(bytes);
          }
        };
    writer = new WalWriter(wal, 128, wakes::incrementAndGet, metrics, failures::add);
  }

  private static Entry entry(long index, int bytes) {
    byte[] data = new byte[bytes];
    Arrays.fill(data, (byte) 'x');
    return new Entry(1, index, EntryType.NORMAL, Bytes.wrap(data));
  }

  private WalAppend append(long index, int bytes) {
    return new WalAppend(
        null,
        List.of(entry(index, bytes)),
        new HardState(1, 1, index - 1),
        WalAppend.Promise.DURABLE,
        () -> done.add(index));
  }

  private WalRecovery reopen() {
    return Wal.open(files, DIR, CONFIG, Long.MAX_VALUE);
  }

  @Test
  void oneHundredAppendsShareOneSync() {
    int syncs = files.syncs();
    int writes = files.writes();
    for (long index = 1; index <= 100; index++) {
      assertTrue(writer.submit(append(index, 100)));
    }
    assertEquals(List.of(), done);
    assertTrue(writer.doWork());
    assertFalse(writer.doWork());
    assertEquals(syncs + 1, files.syncs());
    assertEquals(writes + 1, files.writes());
    assertEquals(100, done.size());
    assertEquals(done.stream().sorted().toList(), done);
    assertEquals(1, fsyncs.get());
    assertTrue(wroteBytes.get() > 100 * 100);
  }

  /// A bare commit index is not worth a wake-up, but it does not wait for ever either.
  @Test
  void whatNeedNotBeSyncedRidesAlong() {
    WalAppend commit =
        new WalAppend(
            null, List.of(), new HardState(1, 1, 0), WalAppend.Promise.NONE, () -> done.add(0L));
    writer.flush();
    assertTrue(writer.submit(commit));
    assertEquals(0, wakes.get());
    writer.flush();
    assertEquals(1, wakes.get());
    assertTrue(writer.submit(append(1, 100)));
    assertEquals(2, wakes.get());
    writer.doWork();
    assertEquals(List.of(0L, 1L), done);
    for (int i = 0; i < 64; i++) {
      writer.submit(commit);
    }
    assertEquals(2, wakes.get());
    writer.submit(commit);
    assertEquals(3, wakes.get(), "the queue is half full");
  }

  /// What waits for earlier appends alone is worth a wake-up, but no sync.
  @Test
  void whatIsOnlyOrderedIsToldAtOnceWithoutASync() {
    writer.submit(append(1, 100));
    writer.doWork();
    int syncs = files.syncs();
    long before = wakes.get();
    writer.submit(
        new WalAppend(
            null,
            List.of(),
            new HardState(1, 1, 1),
            WalAppend.Promise.ORDERED,
            () -> done.add(2L)));
    assertEquals(before + 1, wakes.get());
    writer.doWork();
    assertEquals(List.of(1L, 2L), done);
    assertEquals(syncs, files.syncs());
  }

  @Test
  void whatArrivesDuringAStalledSyncSharesTheNext() throws Exception {
    CountDownLatch stalled = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(101);
    files.beforeSync(
        path -> {
          stalled.countDown();
          awaitQuietly(resume);
        });
    int syncs = files.syncs();
    try (var runner = new WriterRunner(writer)) {
      assertTrue(writer.submit(counted(1, all)));
      runner.wake();
      assertTrue(stalled.await(10, TimeUnit.SECONDS));
      AtomicLong next = new AtomicLong(1);
      List<Thread> submitters = new ArrayList<>();
      for (int submitter = 0; submitter < 100; submitter++) {
        submitters.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      synchronized (next) {
                        assertTrue(writer.submit(counted(next.incrementAndGet(), all)));
                      }
                    }));
      }
      for (Thread submitter : submitters) {
        submitter.join();
      }
      assertEquals(101, all.getCount(), "told before the sync ended");
      resume.countDown();
      runner.wake();
      assertTrue(all.await(10, TimeUnit.SECONDS));
    }
    assertEquals(syncs + 2, files.syncs());
    assertEquals(List.of(), failures);
  }

  private WalAppend counted(long index, CountDownLatch latch) {
    return new WalAppend(
        null, List.of(entry(index, 50)), null, WalAppend.Promise.DURABLE, latch::countDown);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void doneMeansDurable() {
    writer.submit(append(1, 100));
    writer.submit(
        new WalAppend(
            null,
            List.of(entry(2, 100)),
            null,
            WalAppend.Promise.DURABLE,
            () -> files.crash(new Survival.Nothing())));
    writer.doWork();
    WalRecovery found = reopen();
    assertEquals(2, found.entries().size());
    assertFalse(found.repaired());
  }

  @Test
  void aCommitAloneWaitsForNoSync() {
    writer.submit(append(1, 10));
    writer.doWork();
    int syncs = files.syncs();
    writer.submit(
        new WalAppend(
            null, List.of(), new HardState(1, 1, 1), WalAppend.Promise.NONE, () -> done.add(-1L)));
    assertTrue(writer.doWork());
    assertEquals(List.of(1L, -1L), done);
    assertEquals(syncs, files.syncs());
    writer.submit(append(2, 10));
    writer.doWork();
    files.crash(new Survival.Nothing());
    assertEquals(new HardState(1, 1, 1), reopen().hardState());
  }

  @Test
  void aFullQueueTakesNothing() {
    for (long index = 1; index <= 128; index++) {
      assertTrue(writer.submit(append(index, 1)));
    }
    assertFalse(writer.submit(append(129, 1)));
    writer.doWork();
    assertTrue(writer.submit(append(129, 1)));
    writer.doWork();
    assertEquals(129, done.size());
  }

  @Test
  void aFailedSyncStopsForGood() {
    writer.submit(append(1, 10));
    writer.doWork();
    files.failSync(0);
    writer.submit(append(2, 10));
    writer.submit(append(3, 10));
    writer.doWork();
    assertEquals(List.of(1L), done);
    assertEquals(1, failures.size());
    assertInstanceOf(StorageException.class, failures.getFirst());
    int writes = files.writes();
    int syncs = files.syncs();
    assertFalse(writer.submit(append(4, 10)));
    assertFalse(writer.doWork());
    writer.close();
    assertEquals(writes, files.writes(), "wrote after the failure");
    assertEquals(syncs, files.syncs(), "synced again after the failure");
    assertEquals(1, failures.size());
    files.crash(new Survival.Nothing());
    assertEquals(List.of(entry(1, 10)), reopen().entries());
  }

  @Test
  void aShortWriteStopsForGood() {
    writer.submit(append(1, 10));
    writer.doWork();
    files.failWriteAfter(30);
    writer.submit(append(2, 100));
    writer.doWork();
    assertEquals(List.of(1L), done);
    assertEquals(1, failures.size());
    assertThrows(StorageException.class, () -> wal.append(null, List.of(entry(2, 1)), null));
    files.crash(new Survival.Everything());
    WalRecovery found = reopen();
    assertTrue(found.repaired());
    assertEquals(List.of(entry(1, 10)), found.entries());
  }

  @Test
  void aFullDiskAtTheCutLosesNothingThatWasTold() {
    files.leaveFree(SEGMENT_BYTES / 2);
    long index = 0;
    while (failures.isEmpty()) {
      writer.submit(append(++index, 1_000));
      writer.doWork();
      assertTrue(index < 100, "the disk never filled");
    }
    assertTrue(failures.getFirst().getMessage().contains("another segment"));
    assertEquals(index, done.size());
    files.crash(new Survival.Nothing());
    files.leaveFree(Long.MAX_VALUE);
    assertEquals(done.size(), reopen().entries().size());
  }

  @Test
  void whatCannotFollowIsAViolationAndIsNotWritten() {
    writer.submit(append(1, 10));
    writer.submit(append(3, 10));
    writer.doWork();
    assertInstanceOf(InvariantViolation.class, failures.getFirst());
    assertEquals(List.of(), done);
    writer.close();
    assertEquals(List.of(), reopen().entries());
  }

  @Test
  void statesOnlyGoForward() {
    wal.append(null, List.of(entry(1, 1), entry(2, 1)), new HardState(3, 1, 1));
    for (HardState back :
        List.of(
            new HardState(2, 1, 1),
            new HardState(3, 2, 1),
            new HardState(3, 1, 0),
            new HardState(3, 1, 3))) {
      assertThrows(
          InvariantViolation.class, () -> wal.append(null, List.of(), back), back::toString);
    }
    wal.append(null, List.of(), new HardState(4, 2, 2));
  }

  @Test
  void appendsAreToldBeforeTheCutTheyCause() {
    List<String> order = new ArrayList<>();
    files.beforeSync(path -> order.add("sync " + path.getFileName()));
    writer.submit(
        new WalAppend(
            null,
            List.of(entry(1, SEGMENT_BYTES)),
            null,
            WalAppend.Promise.DURABLE,
            () -> order.add("done")));
    writer.doWork();
    assertEquals("sync 0000000000000000-0000000000000000.wal", order.get(0));
    assertEquals("done", order.get(1));
    assertTrue(order.size() > 2, order.toString());
    assertEquals(
        List.of("0000000000000000-0000000000000000.wal", "0000000000000001-0000000000000002.wal"),
        files.list(DIR));
  }

  @Test
  void aPreparedSegmentIsTakenAndTheNextIsAskedFor() {
    AtomicLong asked = new AtomicLong();
    wal.preparer().wakeWith(asked::incrementAndGet);
    assertTrue(wal.preparer().doWork());
    assertFalse(wal.preparer().doWork());
    assertTrue(files.list(DIR).contains("0.tmp"));
    writer.submit(append(1, SEGMENT_BYTES));
    writer.doWork();
    assertEquals(1, asked.get());
    assertTrue(wal.preparer().doWork());
    assertTrue(files.list(DIR).contains("1.tmp"));
    writer.close();
    assertFalse(files.list(DIR).contains("1.tmp"));
  }

  @Test
  void releasedSegmentsGoButNeverWhatARestartNeeds() {
    long index = 0;
    for (int segment = 0; segment < 6; segment++) {
      for (int at = 0; at < 4; at++) {
        writer.submit(append(++index, SEGMENT_BYTES / 4));
        writer.doWork();
      }
    }
    assertEquals(7, files.list(DIR).size());
    writer.release(20);
    writer.doWork();
    assertEquals(7, files.list(DIR).size(), "released without a snapshot");

    ConfState members = ConfState.ofVoters(List.of(1L));
    writer.submit(
        new WalAppend(
            new WalSnapshot(10, 1, members), List.of(), null, WalAppend.Promise.NONE, () -> {}));
    writer.release(23);
    writer.doWork();
    // Segments begin at 0, 5, 9, 13, …: the one that holds 9 to 12 is the first that is needed.
    assertEquals("0000000000000002-0000000000000009.wal", files.list(DIR).getFirst());
    files.crash(new Survival.Nothing());
    WalRecovery found = reopen();
    assertEquals(10, found.snapshot().index());
    assertEquals(14, found.entries().size());
  }

  @Test
  void asManySegmentsStayAsConfigured() {
    writer.close();
    Path dir = Path.of("/other");
    Wal keeping = Wal.create(files, dir, new WalMetadata(1, 2), new WalConfig(4_096, false, 5));
    for (long index = 1; index <= 8; index++) {
      keeping.append(null, List.of(entry(index, 4_096)), new HardState(1, 1, index));
      keeping.sync();
    }
    keeping.append(new WalSnapshot(8, 1, ConfState.ofVoters(List.of(1L))), List.of(), null);
    keeping.sync();
    keeping.releaseTo(8);
    assertEquals(5, files.list(dir).size());
  }
}
