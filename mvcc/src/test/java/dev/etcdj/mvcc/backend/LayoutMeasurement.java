package dev.etcdj.mvcc.backend;

import dev.etcdj.mvcc.schema.RevisionKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/// Measures what docs/adr/0001-storage-layout.md states. Not a test; run it by hand with
/// a directory on the disk in question:
///
/// ```
/// java … -cp … dev.etcdj.mvcc.backend.LayoutMeasurement DIRECTORY [pairs]
/// ```
final class LayoutMeasurement {
  private static final int VALUE_BYTES = 256;
  private static final int USER_KEY_BYTES = 32;

  private final AtomicLong clock = new AtomicLong();
  private final Random random = new Random(1);
  private final int pairs;
  private final long keySeed = 7;

  private LayoutMeasurement(int pairs) {
    this.pairs = pairs;
  }

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 1_000_000;
    LayoutMeasurement measurement = new LayoutMeasurement(pairs);
    for (boolean byRevision : new boolean[] {true, false}) {
      Path directory = Files.createTempDirectory(root, "layout");
      measurement.measure(directory, byRevision);
      try (var files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    }
  }

  private byte[] key(boolean byRevision, long revision) {
    byte[] revisionKey = RevisionKey.encode(revision, 0, false);
    if (byRevision) {
      return revisionKey;
    }
    byte[] key = new byte[USER_KEY_BYTES + revisionKey.length];
    new Random(keySeed + revision).nextBytes(key);
    System.arraycopy(revisionKey, 0, key, USER_KEY_BYTES, revisionKey.length);
    return key;
  }

  private void measure(Path directory, boolean byRevision) throws IOException {
    System.out.println(byRevision ? "by revision" : "by user key");
    try (LmdbBackend backend =
        LmdbBackend.open(directory, LmdbOptions.DEFAULT, BackendOptions.of(clock::get, () -> {}))) {
      long revision = 0;
      while (revision < pairs) {
        revision = fill(backend, byRevision, revision, 10_000);
        commit(backend);
      }
      System.out.printf("  file after %d pairs: %d MiB%n", pairs, backend.sizeBytes() >> 20);
      for (int operations : new int[] {1_000, 9_999}) {
        revision = measureCommits(backend, byRevision, revision, operations);
      }
      measureReads(backend, byRevision, revision);
      measureScan(backend);
    }
  }

  private long fill(LmdbBackend backend, boolean byRevision, long revision, int operations) {
    WriteUnit unit = backend.begin();
    for (int i = 0; i < operations; i++) {
      byte[] value = new byte[VALUE_BYTES];
      ByteBuffer.wrap(value).putLong(revision);
      unit.put(Bucket.KEY, key(byRevision, ++revision), value);
    }
    unit.publish();
    return revision;
  }

  private static void commit(LmdbBackend backend) {
    backend.commit();
    backend.doWork();
  }

  private long measureCommits(
      LmdbBackend backend, boolean byRevision, long revision, int operations) throws IOException {
    int rounds = 15;
    double[] millis = new double[rounds];
    long written = writtenBytes();
    long cpu = cpuNanos();
    long commitCpu = 0;
    for (int i = 0; i < rounds; i++) {
      revision = fill(backend, byRevision, revision, operations);
      long start = System.nanoTime();
      long cpuStart = cpuNanos();
      commit(backend);
      millis[i] = (System.nanoTime() - start) / 1e6;
      commitCpu += cpuNanos() - cpuStart;
    }
    long publishCpu = cpuNanos() - cpu - commitCpu;
    Arrays.sort(millis);
    double perRound = (writtenBytes() - written) / 1e6 / rounds;
    double perOperation = 1e3 * rounds * operations;
    System.out.printf(
        "  commit of %5d: median %.1f ms, worst %.1f ms, %.2f MB written,"
            + " CPU per operation %.2f us (and %.2f us to make and publish)%n",
        operations,
        millis[rounds / 2],
        millis[rounds - 1],
        perRound,
        commitCpu / perOperation,
        publishCpu / perOperation);
    return revision;
  }

  /// CPU time of the process, in steps of 10 ms.
  private static long cpuNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
  }

  /// Bytes this process gave to the system to write; the pages of the file, nearly.
  private static long writtenBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
      if (line.startsWith("wchar: ")) {
        return Long.parseLong(line.substring(7));
      }
    }
    return 0;
  }

  private void measureReads(LmdbBackend backend, boolean byRevision, long revision) {
    int reads = 300_000;
    byte[][] keys = new byte[1 << 16][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key(byRevision, 1 + random.nextLong(revision));
    }
    for (int round = 0; round < 3; round++) {
      long sum = 0;
      long start = cpuNanos();
      for (int i = 0; i < reads; i++) {
        try (ReadView view = backend.read()) {
          sum += ByteBuffer.wrap(view.get(Bucket.KEY, keys[i & 0xffff])).getLong();
        }
      }
      double micros = (cpuNanos() - start) / 1e3 / reads;
      if (round == 2) {
        System.out.printf("  view, random get, close: %.2f us CPU (sum %d)%n", micros, sum);
      }
    }
  }

  private static void measureScan(LmdbBackend backend) {
    for (int round = 0; round < 3; round++) {
      long[] count = {0};
      long start = cpuNanos();
      try (ReadView view = backend.read()) {
        view.scan(Bucket.KEY, new byte[0], null, (key, value) -> ++count[0] > 0);
      }
      if (round == 2) {
        double nanos = (double) (cpuNanos() - start) / count[0];
        System.out.printf("  scan: %.0f ns CPU a pair of %d%n", nanos, count[0]);
      }
    }
  }
}
