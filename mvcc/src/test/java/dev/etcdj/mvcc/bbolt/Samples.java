package dev.etcdj.mvcc.bbolt;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullUnmarked;

/// Random contents: empty buckets, inline ones, deep ones, long keys and values of many pages.
@NullUnmarked
final class Samples {
  private Samples() {}

  static TreeMap<String, TreeMap<byte[], byte[]>> random(RandomGenerator random) {
    TreeMap<String, TreeMap<byte[], byte[]>> buckets = new TreeMap<>();
    int[] sizes = {0, 1, 5, 30, 300, 3_000};
    for (int size : sizes) {
      String name = "bucket" + (char) ('a' + random.nextInt(26)) + size;
      TreeMap<byte[], byte[]> pairs = new TreeMap<>(Arrays::compareUnsigned);
      for (int at = random.nextInt(size + 1); at > 0; at--) {
        pairs.put(bytes(random, 1, 30, 3_000), bytes(random, 0, 120, 40_000));
      }
      buckets.put(name, pairs);
    }
    return buckets;
  }

  static void write(Path file, Map<String, TreeMap<byte[], byte[]>> buckets) {
    try (BboltWriter writer = BboltWriter.create(file)) {
      buckets.forEach(
          (name, pairs) -> {
            writer.bucket(name);
            pairs.forEach(writer::put);
          });
      writer.finish();
    }
  }

  private static byte[] bytes(RandomGenerator random, int least, int usual, int seldom) {
    int most = random.nextInt(100) == 0 ? seldom : usual;
    byte[] bytes = new byte[least + random.nextInt(most)];
    random.nextBytes(bytes);
    return bytes;
  }
}
