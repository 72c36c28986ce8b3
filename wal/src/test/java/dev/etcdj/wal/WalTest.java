package dev.etcdj.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.io.FileStore;
import dev.etcdj.wal.io.RealFileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was made durable is there after reopening, on a real file system.
@NullUnmarked
class WalTest {
  private static final WalConfig SMALL = new WalConfig(16_384, false);
  private static final WalMetadata METADATA = new WalMetadata(-5, 77);
  private static final long ANY = Long.MAX_VALUE;

  private final FileStore files = new RealFileStore();
  @TempDir Path root;

  private Path dir() {
    return root.resolve("member/wal");
  }

  private static Entry entry(long term, long index, int bytes) {
    byte[] data = new byte[bytes];
    java.util.Arrays.fill(data, (byte) (index * 31 + term));
    return new Entry(term, index, EntryType.NORMAL, Bytes.wrap(data));
  }

  @Test
  void aNewLogIsEmptyAndExclusive() {
    assertFalse(Wal.exists(files, dir()));
    Wal wal = Wal.create(files, dir(), METADATA, SMALL);
    assertTrue(Wal.exists(files, dir()));
    assertThrows(StorageException.class, () -> Wal.open(files, dir(), SMALL, ANY));
    assertThrows(StorageException.class, () -> Wal.create(files, dir(), METADATA, SMALL));
    wal.close();
    WalRecovery found = Wal.open(files, dir(), SMALL, ANY);
    found.wal().close();
    assertEquals(METADATA, found.metadata());
    assertEquals(WalSnapshot.NONE, found.snapshot());
    assertEquals(HardState.EMPTY, found.hardState());
    assertEquals(List.of(), found.entries());
    assertFalse(found.repaired());
  }

  @Test
  void entriesSurviveAcrossSegments() throws Exception {
    List<Entry> written = new ArrayList<>();
    try (Wal wal = Wal.create(files, dir(), METADATA, SMALL)) {
      for (long index = 1; index <= 200; index++) {
        Entry entry = entry(1 + index / 50, index, (int) (index * 7 % 900));
        written.add(entry);
        wal.append(null, List.of(entry), new HardState(entry.term(), 3, index - 1));
        wal.sync();
      }
    }
    assertTrue(Files.list(dir()).filter(p -> p.toString().endsWith(".wal")).count() > 3);
    WalRecovery found = Wal.open(files, dir(), SMALL, ANY);
    found.wal().close();
    assertEquals(written, found.entries());
    assertEquals(new HardState(5, 3, 199), found.hardState());
  }

  @Test
  void anOverwrittenTailIsReplacedAndTheLogGoesOn() {
    try (Wal wal = Wal.create(files, dir(), METADATA, SMALL)) {
      wal.append(
          null, List.of(entry(1, 1, 10), entry(1, 2, 10), entry(1, 3, 10)), new HardState(1, 1, 1));
      wal.sync();
      wal.append(null, List.of(entry(2, 2, 20)), new HardState(2, 2, 1));
      wal.sync();
    }
    WalRecovery found = Wal.open(files, dir(), SMALL, ANY);
    try (Wal wal = found.wal()) {
      assertEquals(List.of(entry(1, 1, 10), entry(2, 2, 20)), found.entries());
      assertThrows(InvariantViolation.class, () -> wal.append(null, List.of(entry(2, 4, 1)), null));
      wal.append(null, List.of(entry(2, 3, 5)), new HardState(2, 2, 3));
      wal.sync();
    }
    found = Wal.open(files, dir(), SMALL, ANY);
    found.wal().close();
    assertEquals(List.of(entry(1, 1, 10), entry(2, 2, 20), entry(2, 3, 5)), found.entries());
  }

  @Test
  void readingBeginsAtTheNewestCommittedSnapshot() {
    ConfState members = ConfState.ofVoters(List.of(1L, 2L, 3L));
    try (Wal wal = Wal.create(files, dir(), METADATA, SMALL)) {
      for (long index = 1; index <= 10; index++) {
        wal.append(null, List.of(entry(1, index, 10)), new HardState(1, 1, index - 1));
      }
      wal.append(new WalSnapshot(4, 1, members), List.of(), null);
      wal.append(new WalSnapshot(8, 1, members), List.of(), null);
      wal.append(new WalSnapshot(10, 1, members), List.of(), null);
      wal.sync();
    }
    WalRecovery found = Wal.open(files, dir(), SMALL, ANY);
    found.wal().close();
    assertEquals(new WalSnapshot(8, 1, members), found.snapshot());
    assertEquals(List.of(entry(1, 9, 10), entry(1, 10, 10)), found.entries());

    found = Wal.open(files, dir(), SMALL, 7);
    found.wal().close();
    assertEquals(new WalSnapshot(4, 1, members), found.snapshot());
    assertEquals(6, found.entries().size());
  }

  /// A mark follows its index by some entries, so a cut may come in between: the segment that is
  /// the oldest later then holds a mark for entries that are gone, before or behind its first
  // entry.
  @Test
  void anOldMarkBehindTheBeginningOfTheLogIsPassedOver() {
    ConfState members = ConfState.ofVoters(List.of(1L));
    WalConfig keepsNone = new WalConfig(4_096, false, 1);
    for (boolean entryFirst : new boolean[] {true, false}) {
      Path dir = root.resolve("log-" + entryFirst);
      long last = 0;
      try (Wal wal = Wal.create(files, dir, METADATA, keepsNone)) {
        while (files.list(dir).stream().filter(name -> name.endsWith(".wal")).count() < 2) {
          last++;
          wal.append(null, List.of(entry(1, last, 300)), new HardState(1, 1, last - 1));
          wal.sync();
        }
        if (entryFirst) {
          wal.append(null, List.of(entry(1, ++last, 10)), null);
        }
        wal.append(new WalSnapshot(3, 1, members), List.of(), null);
        wal.append(null, List.of(entry(1, ++last, 10)), null);
        wal.append(null, List.of(entry(1, ++last, 10)), null);
        wal.append(null, List.of(entry(1, ++last, 10)), new HardState(1, 1, last));
        wal.append(new WalSnapshot(last - 1, 1, members), List.of(), null);
        wal.sync();
        wal.releaseTo(last - 1);
        assertEquals(1, files.list(dir).stream().filter(name -> name.endsWith(".wal")).count());
      } catch (java.io.IOException e) {
        throw new AssertionError(e);
      }
      WalRecovery found = Wal.open(files, dir, keepsNone, ANY);
      found.wal().close();
      assertEquals(new WalSnapshot(last - 1, 1, members), found.snapshot());
      assertEquals(List.of(entry(1, last, 10)), found.entries());
    }
  }
}
