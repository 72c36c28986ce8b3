package dev.etcdj.mvcc.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A file that is not what was written is refused by name and place, and never ends the process.
@NullUnmarked
final class LmdbFileTest {
  private static final int PAIRS = 3000;
  private static final int PAGE_BYTES = 4096;

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void fill() {
    file = directory.resolve("db");
    try (LmdbBackend backend = open()) {
      WriteUnit unit = backend.begin();
      for (int i = 1; i <= PAIRS; i++) {
        unit.put(Bucket.KEY, RevisionKey.encode(i, 0, false), new byte[i % 500 == 0 ? 9000 : 80]);
        unit.put(Bucket.LEASE, RevisionKey.encode(PAIRS - i, 0, false), new byte[8]);
      }
      unit.publish();
    }
  }

  private LmdbBackend open() {
    return LmdbBackend.open(directory, LmdbOptions.DEFAULT, BackendOptions.of(() -> 0, () -> {}));
  }

  private StorageException refused() {
    StorageException refused = assertThrows(StorageException.class, this::open);
    assertTrue(refused.getMessage().contains(directory.toString()), refused.getMessage());
    return refused;
  }

  private void write(long at, byte... bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), at);
    }
  }

  private void cut(long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  @Test
  void aSoundFileIsReadAgain() {
    try (LmdbBackend backend = open();
        ReadView view = backend.read()) {
      int[] pairs = {0};
      view.scan(Bucket.KEY, new byte[0], null, (key, value) -> ++pairs[0] > 0);
      assertEquals(PAIRS, pairs[0]);
    }
  }

  @Test
  void aForeignFileIsRefused() throws IOException {
    Files.writeString(file, "a text of someone else, long enough to be mistaken".repeat(200));
    StorageException refused = refused();
    assertEquals(file, refused.file());
    assertEquals(16, refused.offset());
    assertTrue(refused.getMessage().contains("expected LMDB's magic"), refused.getMessage());
  }

  @Test
  void aFileShorterThanItsMetaPagesIsRefused() throws IOException {
    cut(100);
    StorageException refused = refused();
    assertEquals(100, refused.offset());
    assertTrue(refused.getMessage().contains("found the end"), refused.getMessage());
  }

  @Test
  void aFileCutOffAnywhereIsRefused() throws IOException {
    long length = Files.size(file);
    byte[] whole = Files.readAllBytes(file);
    for (long at = 2 * PAGE_BYTES; at < length; at += length / 7) {
      Files.write(file, whole);
      cut(at);
      StorageException refused = refused();
      assertEquals(at, refused.offset());
    }
  }

  @Test
  void anEmptyFileIsSetUp() throws IOException {
    cut(0);
    try (LmdbBackend backend = open()) {
      WriteUnit unit = backend.begin();
      unit.put(Bucket.META, "a".getBytes(UTF_8), new byte[1]);
      unit.publish();
    }
    open().close();
  }

  @Test
  void anotherVersionIsRefused() throws IOException {
    write(20, (byte) 9);
    assertTrue(refused().getMessage().contains("expected data version 1, found 9"));
  }

  @Test
  void aPageOverwrittenWithAnotherIsRefused() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    int refusals = 0;
    for (int page = 2; page < whole.length / PAGE_BYTES; page++) {
      Files.write(file, whole);
      write((long) page * PAGE_BYTES, new byte[PAGE_BYTES]);
      try {
        open().close(); // the page was free
      } catch (StorageException refused) {
        assertEquals(file, refused.file());
        refusals++;
      }
    }
    assertTrue(refusals > 40, "only " + refusals);
  }

  /// Random damage to the structure is either refused or harmless; values are not LMDB's concern.
  @Test
  void damageNeverEndsTheProcess() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    for (long seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      byte[] damaged = whole.clone();
      int page = random.nextInt(damaged.length / PAGE_BYTES) * PAGE_BYTES;
      for (int i = 0; i < 4; i++) {
        damaged[page + random.nextInt(160)] = (byte) random.nextInt();
      }
      Files.write(file, damaged);
      try (LmdbBackend backend = open();
          ReadView view = backend.read()) {
        for (Bucket bucket : Bucket.values()) {
          view.scan(bucket, new byte[0], null, (key, value) -> true);
        }
      } catch (StorageException refused) {
        assertTrue(refused.getMessage().contains("db"), "seed " + seed);
      }
    }
  }

  @Test
  void lmdbDataOfSomethingElseIsRefused() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    byte[] name = "etcdj".getBytes(UTF_8);
    for (int at = 0; at + name.length < whole.length; at++) {
      if (new String(whole, at, name.length, UTF_8).equals("etcdj")) {
        whole[at] = 'x';
      }
    }
    Files.write(file, whole);
    assertTrue(refused().getMessage().contains("found LMDB data of something else"));
  }

  @Test
  void aDirectoryInUseIsRefused() {
    LmdbBackend first = open();
    assertTrue(refused().getMessage().contains("in use"));
    first.close();
    open().close();
  }

  @Test
  void aDirectoryThatIsNotThereIsRefused() {
    Path absent = directory.resolve("absent");
    StorageException refused =
        assertThrows(
            StorageException.class,
            () ->
                LmdbBackend.open(
                    absent, LmdbOptions.DEFAULT, BackendOptions.of(() -> 0, () -> {})));
    assertEquals(absent.resolve("db-owner"), refused.file());
  }

  @Test
  void aCompactCopyHoldsTheSameWithoutFreePages() throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    byte[] kept = RevisionKey.encode(PAIRS, 0, false);
    try (LmdbBackend backend = open()) {
      WriteUnit unit = backend.begin();
      for (int i = 1; i < PAIRS; i++) {
        unit.delete(Bucket.KEY, RevisionKey.encode(i, 0, false));
      }
      unit.publish();
      backend.commit();
      backend.doWork();
      backend.compactTo(copy.resolve("db"));
      assertThrows(StorageException.class, () -> backend.compactTo(copy.resolve("db")));
    }
    assertTrue(Files.size(copy.resolve("db")) < Files.size(file) / 2);
    directory = copy;
    try (LmdbBackend backend = open();
        ReadView view = backend.read()) {
      assertArrayEquals(new byte[9000], view.get(Bucket.KEY, kept));
      assertEquals(backend.sizeBytes(), backend.sizeInUseBytes());
    }
  }
}
