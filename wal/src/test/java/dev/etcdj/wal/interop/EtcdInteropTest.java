package dev.etcdj.wal.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.testkit.GoProgram;
import dev.etcdj.wal.Wal;
import dev.etcdj.wal.WalConfig;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalRecovery;
import dev.etcdj.wal.WalSnapshot;
import dev.etcdj.wal.io.FileStore;
import dev.etcdj.wal.io.RealFileStore;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Logs of ours and of etcd 3.7.1's own module read the same on both sides, and either side goes on
/// where the other stopped. Method: `testing/interop-go/walcheck`, which also runs etcd's Verify.
/// Run with `-Dgroups=interop -DexcludedGroups=`.
@Tag("interop")
class EtcdInteropTest {
  private static final WalConfig SMALL = new WalConfig(16_384, false, 0);
  private static final ConfState MEMBERS = ConfState.ofVoters(List.of(1L, 2L, Long.MIN_VALUE));

  @TempDir static Path programs;
  private static GoProgram walcheck;

  private final FileStore files = new RealFileStore();
  private final RandomGenerator random = new SplittableRandom(5);
  @TempDir Path root;

  @BeforeAll
  static void build() throws Exception {
    walcheck = GoProgram.build("walcheck", programs);
  }

  @Test
  void etcdReadsOurLog() throws Exception {
    Path dir = root.resolve("wal");
    writeOurs(dir);
    assertTrue(Files.list(dir).count() > 4, "too few segments");
    assertEquals(describeOurs(dir), etcd("dump", dir));
  }

  @Test
  void weReadEtcdsLog() throws Exception {
    Path dir = root.resolve("wal");
    List<String> etcds = etcd("write", dir);
    assertTrue(Files.list(dir).count() > 4, "too few segments");
    assertTrue(etcds.size() > 20, etcds.toString());
    assertEquals(etcds, describeOurs(dir));
  }

  @Test
  void eachGoesOnWhereTheOtherStopped() throws Exception {
    Path dir = root.resolve("wal");
    etcd("write", dir);
    for (int turn = 0; turn < 3; turn++) {
      WalRecovery found = Wal.open(files, dir, SMALL, Long.MAX_VALUE);
      try (Wal wal = found.wal()) {
        appendTo(wal, found, 40);
      }
      List<String> etcds = etcd("continue", dir, 40);
      assertEquals(etcds, describeOurs(dir));
    }
  }

  @Test
  void etcdRepairsNothingBehindOurRepair() throws Exception {
    Path dir = root.resolve("wal");
    List<String> whole = etcd("write", dir);
    Path last =
        Files.list(dir).filter(p -> p.toString().endsWith(".wal")).sorted().toList().getLast();
    try (RandomAccessFile file = new RandomAccessFile(last.toFile(), "rw")) {
      byte[] bytes = new byte[(int) file.length()];
      file.readFully(bytes);
      int end = bytes.length;
      while (bytes[end - 1] == 0) {
        end--;
      }
      file.setLength(end - 5);
    }
    WalRecovery found = Wal.open(files, dir, SMALL, Long.MAX_VALUE);
    found.wal().close();
    assertTrue(found.repaired());
    List<String> cut = etcd("dump", dir);
    assertEquals(describe(found), cut);
    assertNotEquals(whole, cut);
  }

  @Test
  void aLogInUseIsNotOpenedByTheOther() throws Exception {
    Path dir = root.resolve("wal");
    Wal wal = Wal.create(files, dir, new WalMetadata(1, 2), SMALL);
    GoProgram.Result refused = walcheck.run("continue", dir, 1);
    wal.close();
    assertNotEquals(0, refused.exit());
    assertTrue(refused.out().contains("lock"), refused.out());
    assertEquals(0, walcheck.run("continue", dir, 1).exit());
  }

  private void writeOurs(Path dir) {
    Wal wal = Wal.create(files, dir, new WalMetadata(-3, 99), SMALL);
    long term = 1;
    for (long index = 1; index <= 200; index++) {
      save(wal, term, List.of(entry(term, index)), Math.max(0, index - 4));
      if (index % 30 == 0) {
        term++;
        save(wal, term, List.of(entry(term, index - 2), entry(term, index - 1)), index - 4);
        save(wal, term, List.of(entry(term, index)), index - 4);
      }
      if (index % 50 == 25) {
        wal.append(new WalSnapshot(index - 5, term, MEMBERS), List.of(), null);
        wal.sync();
      }
    }
    wal.append(new WalSnapshot(500, term, MEMBERS), List.of(), state(term, 500));
    save(wal, term + 1, List.of(entry(term + 1, 501)), 500);
    wal.close();
  }

  private static void save(Wal wal, long term, List<Entry> entries, long commit) {
    wal.append(null, entries, state(term, commit));
    wal.sync();
  }

  private static HardState state(long term, long commit) {
    return new HardState(term, term % 3 + 1, commit);
  }

  private void appendTo(Wal wal, WalRecovery found, int count) {
    long term = found.hardState().term() + 1;
    long index = found.hardState().commit() + 1;
    for (int at = 0; at < count; at++, index++) {
      wal.append(null, List.of(entry(term, index)), new HardState(term, 2, index - 1));
      wal.sync();
    }
  }

  private Entry entry(long term, long index) {
    byte[] data = new byte[random.nextInt(5) == 0 ? 0 : random.nextInt(900)];
    random.nextBytes(data);
    EntryType type = random.nextInt(9) == 0 ? EntryType.CONF_CHANGE : EntryType.NORMAL;
    return new Entry(term, index, type, Bytes.wrap(data));
  }

  private List<String> describeOurs(Path dir) throws Exception {
    WalRecovery found = Wal.open(files, dir, SMALL, Long.MAX_VALUE);
    found.wal().close();
    return describe(found);
  }

  private static List<String> describe(WalRecovery found) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add(
        "metadata %s %s"
            .formatted(
                unsigned(found.metadata().nodeId()), unsigned(found.metadata().clusterId())));
    String voters =
        found.snapshot().confState().voters().stream()
            .map(EtcdInteropTest::unsigned)
            .collect(Collectors.joining(","));
    lines.add(
        "snapshot %d %d %s".formatted(found.snapshot().index(), found.snapshot().term(), voters));
    HardState state = found.hardState();
    lines.add("state %d %d %d".formatted(state.term(), state.vote(), state.commit()));
    for (Entry entry : found.entries()) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(entry.data().unsafeArray());
      lines.add(
          "entry %d %d %d %s"
              .formatted(
                  entry.term(),
                  entry.index(),
                  entry.type().number(),
                  HexFormat.of().formatHex(digest)));
    }
    return lines;
  }

  private static String unsigned(long id) {
    return Long.toUnsignedString(id);
  }

  private static List<String> etcd(Object... arguments) throws Exception {
    GoProgram.Result result = walcheck.run(arguments);
    assertEquals(0, result.exit(), result.out());
    return result.lines();
  }
}
