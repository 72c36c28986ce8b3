package dev.etcdj.mvcc.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.mvcc.schema.RevisionKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A process killed in the middle of it (SIGKILL, twice on one file) loses whole units from
/// the end, and none it had reported as durable. What a power cut adds, that a sync was really
/// made, this cannot show.
@NullUnmarked
final class LmdbCrashTest {
  private static final int ROUNDS = 2;
  private static final int REPORTS_BEFORE_KILL = 8;
  private static final int KEYS_PER_UNIT = 4;

  /// What lmdbjava needs opened, as `bin/lib/jvm-access.options` has it.
  private static final List<String> JVM_ACCESS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private static final byte[] LAST = "last".getBytes(UTF_8);

  @TempDir Path directory;

  @Test
  void aKilledProcessKeepsWhatItReportedAsDurable() throws IOException, InterruptedException {
    long before = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long promised = runAndKill();
      long survived = check();
      assertTrue(promised > before, "round " + round + " made no progress");
      assertTrue(survived >= promised, survived + " units left of " + promised + " promised");
      before = survived;
    }
  }

  /// Greatest number the child reported before it was killed.
  private long runAndKill() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_ACCESS);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Child.class.getName(), directory.toString()));
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    long promised = 0;
    try (BufferedReader reports = child.inputReader(UTF_8)) {
      for (int i = 0; i < REPORTS_BEFORE_KILL; i++) {
        promised = Long.parseLong(reports.readLine());
      }
      child.toHandle().destroyForcibly(); // unlike that of Process, keeps the pipe
      for (String line = readWhole(reports); line != null; line = readWhole(reports)) {
        promised = Long.parseLong(line);
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
    return promised;
  }

  /// A line that ended before the kill, or null. Numbers are padded, so half a line shows.
  private static String readWhole(BufferedReader reports) throws IOException {
    String line = reports.readLine();
    return line != null && line.length() == Child.REPORT_DIGITS ? line : null;
  }

  /// Number of units found, all of them whole.
  private long check() {
    BackendOptions options = BackendOptions.of(() -> 0, () -> {});
    try (LmdbBackend backend = LmdbBackend.open(directory, LmdbOptions.DEFAULT, options);
        ReadView view = backend.read()) {
      byte[] last = view.get(Bucket.META, LAST);
      long units = last == null ? 0 : ByteBuffer.wrap(last).getLong();
      long[] pairs = {0};
      view.scan(
          Bucket.KEY,
          new byte[0],
          null,
          (key, value) -> {
            assertEquals(1 + pairs[0] / KEYS_PER_UNIT, RevisionKey.main(key));
            assertEquals(pairs[0] % KEYS_PER_UNIT, RevisionKey.sub(key));
            assertEquals(100, value.length);
            pairs[0]++;
            return true;
          });
      assertEquals(units * KEYS_PER_UNIT, pairs[0]);
      return units;
    }
  }

  /// Writes numbered units for ever, and prints the greatest number that is durable.
  static final class Child {
    static final int REPORT_DIGITS = 12;

    private Child() {}

    public static void main(String[] args) {
      BackendOptions options =
          BackendOptions.of(System::nanoTime, () -> {}).withCadence(500, 2_000_000);
      LmdbBackend backend = LmdbBackend.open(Path.of(args[0]), LmdbOptions.DEFAULT, options);
      long first;
      try (ReadView view = backend.read()) {
        byte[] last = view.get(Bucket.META, LAST);
        first = 1 + (last == null ? 0 : ByteBuffer.wrap(last).getLong());
      }
      Thread committer = Thread.ofPlatform().daemon().unstarted(() -> commit(backend, first));
      committer.start();
      for (long number = first; ; number++) {
        WriteUnit unit = backend.begin();
        for (int sub = 0; sub < KEYS_PER_UNIT; sub++) {
          unit.put(Bucket.KEY, RevisionKey.encode(number, sub, false), new byte[100]);
        }
        unit.put(Bucket.META, LAST, ByteBuffer.allocate(8).putLong(number).array());
        unit.publish();
      }
    }

    private static void commit(LmdbBackend backend, long first) {
      while (true) {
        if (backend.doWork()) {
          long durable = first - 1 + backend.durablePosition();
          System.out.printf("%0" + REPORT_DIGITS + "d%n", durable);
        } else {
          Thread.yield();
        }
      }
    }
  }
}
