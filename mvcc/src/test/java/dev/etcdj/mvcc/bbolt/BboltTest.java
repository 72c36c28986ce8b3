package dev.etcdj.mvcc.bbolt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.mvcc.InvariantViolation;
import dev.etcdj.mvcc.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is written is read back in order, and what is no whole bbolt file is refused with its
// place.
/// Method: random buckets against a sorted map. Source: bbolt-format.md. Replay: `-Dseed=`.
@NullUnmarked
class BboltTest {
  private final long seed = Long.getLong("seed", 11L);
  @TempDir Path root;

  @Test
  void randomFilesReadBack() {
    for (int round = 0; round < 25; round++) {
      RandomGenerator random = new SplittableRandom(seed + round);
      Map<String, TreeMap<byte[], byte[]>> wanted = Samples.random(random);
      Path file = root.resolve("db" + round);
      Samples.write(file, wanted);
      String hint = "seed " + (seed + round);
      try (BboltReader reader = BboltReader.open(file)) {
        assertEquals(wanted.keySet().stream().toList(), reader.buckets(), hint);
        assertEquals(file.toFile().length(), reader.sizeBytes(), hint);
        for (var bucket : wanted.entrySet()) {
          BboltReader.Cursor cursor = reader.cursor(bucket.getKey());
          for (var pair : bucket.getValue().entrySet()) {
            assertTrue(cursor.next(), hint);
            assertArrayEquals(pair.getKey(), cursor.key(), hint);
            assertArrayEquals(pair.getValue(), cursor.value(), hint);
          }
          assertFalse(cursor.next(), hint);
        }
        assertFalse(reader.cursor("no such bucket").next());
      }
    }
  }

  @Test
  void aFileWithoutBucketsIsEmpty() {
    Path file = root.resolve("db");
    Samples.write(file, Map.of());
    try (BboltReader reader = BboltReader.open(file)) {
      assertEquals(0, reader.buckets().size());
    }
  }

  @Test
  void orderIsRequired() {
    try (BboltWriter writer = BboltWriter.create(root.resolve("db"))) {
      assertThrows(InvariantViolation.class, () -> writer.put(new byte[] {1}, new byte[0]));
      writer.bucket("b");
      assertThrows(InvariantViolation.class, () -> writer.bucket("a"));
      assertThrows(InvariantViolation.class, () -> writer.bucket("b"));
      writer.put(new byte[] {1, 2}, new byte[0]);
      for (byte[] key : new byte[][] {{1, 2}, {1}, {0, 9}, {}, new byte[32_769]}) {
        assertThrows(InvariantViolation.class, () -> writer.put(key, new byte[0]));
      }
      writer.put(new byte[] {1, 2, 0}, new byte[0]);
      writer.put(new byte[] {(byte) 0x80}, new byte[0]);
    }
  }

  @Test
  void whatIsNotAWholeFileIsRefused() throws Exception {
    Path good = root.resolve("db");
    Samples.write(good, Samples.random(new SplittableRandom(seed)));
    byte[] bytes = Files.readAllBytes(good);

    refused(new byte[0], 0);
    refused("not a database at all".getBytes(UTF_8), 0);
    refused(new byte[16_384], 0);
    refused(Arrays.copyOf(bytes, bytes.length - 1), bytes.length - 1L);
    refused(Arrays.copyOf(bytes, 8_192), 8_192);

    byte[] bothMetas = bytes.clone();
    bothMetas[20]++;
    bothMetas[4_096 + 60]++;
    refused(bothMetas, 0);
  }

  @Test
  void aDamagedMetaLeavesTheOther() throws Exception {
    Path good = root.resolve("db");
    Samples.write(good, Samples.random(new SplittableRandom(seed)));
    byte[] bytes = Files.readAllBytes(good);
    for (int at : new int[] {16, 40, 80, 4_096 + 16, 4_096 + 70}) {
      byte[] bad = bytes.clone();
      bad[at] ^= 0x55;
      Path file = Files.write(root.resolve("meta" + at), bad);
      try (BboltReader reader = BboltReader.open(file)) {
        assertFalse(reader.buckets().isEmpty());
      }
    }
  }

  @Test
  void aDamagedPageNeverEndsInAnythingElseThanARefusal() throws Exception {
    Path good = root.resolve("db");
    Samples.write(good, Samples.random(new SplittableRandom(seed + 3)));
    byte[] bytes = Files.readAllBytes(good);
    RandomGenerator random = new SplittableRandom(seed);
    int refused = 0;
    for (int round = 0; round < 100; round++) {
      byte[] bad = bytes.clone();
      int page = 3 + random.nextInt(bytes.length / 4_096 - 3);
      bad[page * 4_096 + random.nextInt(64)] ^= (byte) (1 + random.nextInt(255));
      Path file = Files.write(root.resolve("bad"), bad);
      try (BboltReader reader = BboltReader.open(file)) {
        for (String bucket : reader.buckets()) {
          BboltReader.Cursor cursor = reader.cursor(bucket);
          while (cursor.next()) {
            assertTrue(cursor.key().length >= 0);
          }
        }
      } catch (StorageException refusal) {
        refused++;
      }
    }
    assertTrue(refused > 20, refused + " refusals");
  }

  private void refused(byte[] contents, long offset) throws Exception {
    Path file = Files.write(root.resolve("foreign"), contents);
    StorageException refusal = assertThrows(StorageException.class, () -> BboltReader.open(file));
    assertEquals(file, refusal.file());
    assertEquals(offset, refusal.offset());
    assertTrue(String.valueOf(refusal.getMessage()).contains("expected"), refusal.getMessage());
  }
}
