package dev.etcdj.mvcc.bbolt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.testkit.GoProgram;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of ours pass bbolt's own consistency check and read the same there, and files it wrote,
/// with and without a freelist, read the same here. Method: `testing/interop-go/bboltcheck`.
/// `-Detcdutl=FILE` adds etcd's own snapshot status. Run with `-Dgroups=interop -DexcludedGroups=`.
@Tag("interop")
@NullUnmarked
class BboltInteropTest {
  @TempDir static Path programs;
  private static GoProgram bboltcheck;
  @TempDir Path root;

  @BeforeAll
  static void build() throws Exception {
    bboltcheck = GoProgram.build("bboltcheck", programs);
  }

  @Test
  void bboltReadsOurs() throws Exception {
    for (int seed = 0; seed < 10; seed++) {
      Path file = root.resolve("db" + seed);
      Samples.write(file, Samples.random(new SplittableRandom(seed)));
      assertEquals(bbolt("dump", file), describe(file), "seed " + seed);
    }
  }

  @Test
  void weReadBbolts() throws Exception {
    for (String freelist : List.of("freelist", "nofreelist")) {
      Path file = root.resolve(freelist);
      List<String> theirs = bbolt("write", file, freelist);
      assertTrue(theirs.size() > 2_000);
      assertEquals(theirs, describe(file));
    }
  }

  @Test
  void etcdutlAcceptsOurs() throws Exception {
    String etcdutl = System.getProperty("etcdutl");
    org.junit.jupiter.api.Assumptions.assumeTrue(etcdutl != null, "no -Detcdutl=FILE given");
    Path file = root.resolve("db");
    try (BboltWriter writer = BboltWriter.create(file)) {
      for (String name : List.of("alarm", "auth", "cluster")) {
        writer.bucket(name);
      }
      writer.bucket("key");
      for (long revision = 2; revision < 1_002; revision++) {
        ByteBuffer key = ByteBuffer.allocate(17).putLong(revision).put((byte) '_').putLong(0);
        byte[] name = Long.toString(revision).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        ByteBuffer value = ByteBuffer.allocate(2 + name.length);
        value.put((byte) 0x0a).put((byte) name.length).put(name);
        writer.put(key.flip(), value.flip());
      }
      for (String name : List.of("lease", "members", "members_removed", "meta")) {
        writer.bucket(name);
      }
      writer.finish();
    }
    GoProgram.Result status =
        GoProgram.exec(List.of(etcdutl, "snapshot", "status", file.toString(), "-w", "fields"));
    assertEquals(0, status.exit(), status.out());
    assertTrue(status.out().contains("\"Revision\" : 1001"), status.out());
    assertTrue(status.out().contains("\"Keys\" : 1000"), status.out());
  }

  private static List<String> describe(Path file) throws Exception {
    List<String> lines = new ArrayList<>();
    HexFormat hex = HexFormat.of();
    try (BboltReader reader = BboltReader.open(file)) {
      for (String bucket : reader.buckets()) {
        lines.add("bucket " + bucket);
        BboltReader.Cursor cursor = reader.cursor(bucket);
        while (cursor.next()) {
          byte[] digest = MessageDigest.getInstance("SHA-256").digest(cursor.value());
          lines.add(
              "%s %d %s"
                  .formatted(
                      hex.formatHex(cursor.key()), cursor.value().length, hex.formatHex(digest)));
        }
      }
    }
    return lines;
  }

  private static List<String> bbolt(Object... arguments) throws Exception {
    GoProgram.Result result = bboltcheck.run(arguments);
    assertEquals(0, result.exit(), result.out());
    return result.lines();
  }
}
