package dev.etcdj.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.io.FileStore.Access;
import dev.etcdj.wal.io.MemoryFileStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What no crash leaves is refused, with the file named and nothing changed; what a crash leaves is
/// repaired. The entries' data holds no zero byte, so that a flipped byte never looks unwritten.
@NullUnmarked
class DamageTest {
  private static final Path DIR = Path.of("/wal");
  private static final WalConfig CONFIG = new WalConfig(4_096, false, 0);
  private static final WalMetadata METADATA = new WalMetadata(1, 2);

  private final MemoryFileStore files = new MemoryFileStore();
  private final List<Entry> written = new ArrayList<>();
  private final Map<Path, byte[]> original = new TreeMap<>();
  private List<Path> segments = List.of();

  @BeforeEach
  void write() throws IOException {
    try (Wal wal = Wal.create(files, DIR, METADATA, CONFIG)) {
      for (long index = 1; index <= 30; index++) {
        byte[] data = new byte[(int) (100 + index * 41 % 300)];
        Arrays.fill(data, (byte) (index + 1));
        Entry entry = new Entry(1, index, EntryType.NORMAL, Bytes.wrap(data));
        written.add(entry);
        wal.append(null, List.of(entry), new HardState(1, 1, index - 1));
        wal.sync();
      }
    }
    segments = files.list(DIR).stream().filter(n -> n.endsWith(".wal")).map(DIR::resolve).toList();
    assertTrue(segments.size() > 2, segments.toString());
    for (Path segment : segments) {
      original.put(segment, files.contents(segment));
    }
  }

  @Test
  void aFlippedByteAnywhereIsRefused() throws IOException {
    for (Path segment : segments) {
      byte[] good = original.get(segment);
      int end = endOfRecords(good);
      // Every third byte: over the frames that is each of the places a byte can have in one.
      for (int at = segments.indexOf(segment) % 3; at < end; at += 3) {
        byte[] bad = good.clone();
        bad[at] ^= good[at] != 0 && at % 2 == 0 ? good[at] : 0x41;
        files.damage(segment, bad);
        if (isPadding(good, at)) {
          assertEquals(written, readAndClose().entries());
          files.damage(segment, good);
          restore();
          continue;
        }
        int flipped = at;
        StorageException refusal =
            assertThrows(
                StorageException.class, this::readAndClose, () -> segment + " byte " + flipped);
        assertTrue(refusal.getMessage().contains("expected"), refusal.getMessage());
        assertArrayEquals(bad, files.contents(segment), "a refused log was changed");
      }
      files.damage(segment, good);
    }
  }

  @Test
  void aLastSegmentThatEndsAnywhereIsRepairedBehindItsHead() throws IOException {
    Path last = segments.getLast();
    byte[] good = original.get(last);
    int end = endOfRecords(good);
    int headEnd = frameEnd(good, frameEnd(good, frameEnd(good, 0)));
    for (int length = 0; length < end; length++) {
      files.damage(last, Arrays.copyOf(good, length));
      if (length < frameEnd(good, frameEnd(good, 0))) {
        assertThrows(StorageException.class, this::readAndClose);
        continue;
      }
      WalRecovery found = readAndClose();
      List<Entry> entries = found.entries();
      assertEquals(written.subList(0, entries.size()), entries);
      boolean betweenFrames = length == headEnd || isFrameStart(good, length);
      assertEquals(!betweenFrames, found.repaired(), "length " + length);
      assertEquals(found.repaired(), files.exists(DIR.resolve(last.getFileName() + ".broken")));
      restore();
    }
  }

  @Test
  void damageIsReportedWithItsPlace() throws IOException {
    Path segment = segments.getFirst();
    byte[] bad = original.get(segment).clone();
    int frame = frameEnd(bad, frameEnd(bad, frameEnd(bad, 0)));
    bad[frame + 60] ^= 1;
    files.damage(segment, bad);
    StorageException refusal = assertThrows(StorageException.class, this::readAndClose);
    assertEquals(segment, refusal.file());
    assertEquals(frame, refusal.offset());
    assertTrue(
        refusal
            .getMessage()
            .matches(".* at byte \\d+: expected checksum \\w{8}, found checksum \\w{8}"),
        refusal.getMessage());
  }

  @Test
  void aTornRecordInAnOlderSegmentIsRefused() throws IOException {
    Path segment = segments.get(1);
    byte[] good = original.get(segment);
    files.damage(segment, Arrays.copyOf(good, good.length - 20));
    assertThrows(StorageException.class, this::readAndClose);
  }

  @Test
  void aMissingSegmentIsRefused() throws IOException {
    files.delete(segments.get(1));
    StorageException refusal = assertThrows(StorageException.class, this::readAndClose);
    assertTrue(refusal.getMessage().contains("sequence 1"), refusal.getMessage());
  }

  @Test
  void aMissingFirstSegmentLeavesNothingToBeginWith() throws IOException {
    files.delete(segments.getFirst());
    StorageException refusal = assertThrows(StorageException.class, this::readAndClose);
    assertTrue(refusal.getMessage().contains("snapshot record"), refusal.getMessage());
  }

  @Test
  void aMissingLastSegmentLosesCommittedEntries() throws IOException {
    files.delete(segments.getLast());
    files.delete(segments.get(segments.size() - 2));
    // The commit in what is left is older, so what is left is a log; only a lost tail within the
    // reach of the commit can be seen.
    WalRecovery found = readAndClose();
    assertEquals(written.subList(0, found.entries().size()), found.entries());
  }

  @Test
  void aCommitBehindTheLastEntryIsRefused() throws IOException {
    MemoryFileStore other = new MemoryFileStore();
    Wal wal = Wal.create(other, DIR, METADATA, CONFIG);
    wal.append(null, written.subList(0, 3), new HardState(1, 1, 3));
    wal.append(null, List.of(new Entry(2, 2, EntryType.NORMAL, Bytes.EMPTY)), null);
    wal.sync();
    wal.close();
    StorageException refusal =
        assertThrows(StorageException.class, () -> Wal.open(other, DIR, CONFIG, Long.MAX_VALUE));
    assertTrue(refusal.getMessage().contains("commit 3"), refusal.getMessage());
  }

  @Test
  void segmentsOfAnotherMemberAreRefused() throws IOException {
    MemoryFileStore other = new MemoryFileStore();
    Wal wal = Wal.create(other, DIR, new WalMetadata(9, 2), CONFIG);
    for (Entry entry : written) {
      wal.append(null, List.of(entry), new HardState(1, 1, entry.index() - 1));
      wal.sync();
    }
    wal.close();
    files.damage(segments.getLast(), other.contents(segments.getLast()));
    assertThrows(StorageException.class, this::readAndClose);
  }

  @Test
  void leftoversOfAnUnfinishedCutAreRemoved() throws IOException {
    for (String name : List.of("0.tmp", "1.tmp")) {
      try (var file = files.open(DIR.resolve(name), Access.CREATE)) {
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
      }
    }
    assertEquals(written, readAndClose().entries());
    assertFalse(files.exists(DIR.resolve("0.tmp")));
    assertFalse(files.exists(DIR.resolve("1.tmp")));
  }

  @Test
  void leftoversOfAnUnfinishedCreationAreReplaced() throws IOException {
    Path dir = Path.of("/new/wal");
    Path beside = Path.of("/new/wal.tmp");
    files.createDirectories(beside);
    files.open(beside.resolve("0000000000000000-0000000000000000.wal"), Access.CREATE).close();
    Wal.create(files, dir, METADATA, CONFIG).close();
    WalRecovery found = Wal.open(files, dir, CONFIG, Long.MAX_VALUE);
    found.wal().close();
    assertEquals(List.of(), found.entries());
    assertFalse(files.exists(beside));
  }

  private WalRecovery readAndClose() {
    WalRecovery found = Wal.open(files, DIR, CONFIG, Long.MAX_VALUE);
    found.wal().close();
    return found;
  }

  private void restore() throws IOException {
    for (var segment : original.entrySet()) {
      files.damage(segment.getKey(), segment.getValue());
    }
    files.delete(DIR.resolve(segments.getLast().getFileName() + ".broken"));
  }

  private static int frameEnd(byte[] bytes, int start) {
    long word = Long.reverseBytes(ByteBuffer.wrap(bytes).getLong(start));
    int pad = word < 0 ? (int) (word >>> 56) & 7 : 0;
    return start + 8 + (int) (word & 0xffffff) + pad;
  }

  private static int endOfRecords(byte[] bytes) {
    int at = 0;
    while (at + 8 <= bytes.length && ByteBuffer.wrap(bytes).getLong(at) != 0) {
      at = frameEnd(bytes, at);
    }
    return at;
  }

  private static boolean isFrameStart(byte[] bytes, int offset) {
    int at = 0;
    while (at < offset) {
      at = frameEnd(bytes, at);
    }
    return at == offset;
  }

  private static boolean isPadding(byte[] bytes, int offset) {
    int at = 0;
    int next = frameEnd(bytes, at);
    while (next <= offset) {
      at = next;
      next = frameEnd(bytes, at);
    }
    int pad =
        next - 8 - at - (int) (Long.reverseBytes(ByteBuffer.wrap(bytes).getLong(at)) & 0xffffff);
    return offset >= next - pad;
  }
}
