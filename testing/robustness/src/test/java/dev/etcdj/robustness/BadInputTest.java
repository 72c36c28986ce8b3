package dev.etcdj.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.testkit.FreePorts;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Guarantee: what cannot be used is refused with one line that says what is wrong and with the
/// documented exit status, and nothing that was stored is touched.
///
/// Method: a real process for each case; where data is damaged on purpose, the undamaged rest must
/// still be there once the damage is undone.
class BadInputTest {
  @TempDir Path folder;
  private int port;
  private String client = "";
  private String peer = "";

  @BeforeEach
  void choosePorts() throws IOException {
    port = FreePorts.next();
    client = "http://127.0.0.1:" + port;
    peer = "http://127.0.0.1:" + FreePorts.next();
  }

  private record Ended(int exit, String output) {
    /// The last line, which says why.
    String reason() {
      String[] lines = output.strip().split("\n");
      return lines[lines.length - 1];
    }
  }

  private Ended run(String... arguments) throws Exception {
    return run(List.of(arguments), List.of());
  }

  private Ended run(List<String> arguments, List<String> prefix) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(MemberProcess.javaCommand());
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), output);
    return new Ended(process.exitValue(), output);
  }

  private List<String> memberArguments(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--data-dir", folder.resolve("data").toString(),
                "--listen-client-urls", client,
                "--advertise-client-urls", client,
                "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer,
                "--initial-cluster", "default=" + peer));
    arguments.addAll(Arrays.asList(more));
    return arguments;
  }

  private MemberProcess member() {
    return new MemberProcess(folder.resolve("log"), client, List.of(), memberArguments());
  }

  private void putOne(String key) {
    withChannel(
        channel ->
            KVGrpc.newBlockingStub(channel)
                .withDeadlineAfter(20, TimeUnit.SECONDS)
                .put(
                    PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFromUtf8("value of " + key))
                        .build()));
  }

  private long count() {
    long[] count = new long[1];
    withChannel(
        channel ->
            count[0] =
                KVGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(20, TimeUnit.SECONDS)
                    .range(
                        RangeRequest.newBuilder()
                            .setKey(ByteString.copyFrom(new byte[1]))
                            .setRangeEnd(ByteString.copyFrom(new byte[1]))
                            .setCountOnly(true)
                            .build())
                    .getCount());
    return count[0];
  }

  private interface Use {
    void of(ManagedChannel channel);
  }

  private void withChannel(Use use) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    try {
      use.of(channel);
    } finally {
      channel.shutdownNow();
    }
  }

  /// Makes a data directory with a few keys in it; the member has ended.
  private void dataWithKeys(int keys, boolean killed) throws Exception {
    try (MemberProcess member = member()) {
      member.start();
      member.awaitHealthy(Duration.ofSeconds(120));
      for (int i = 0; i < keys; i++) {
        putOne("key-" + i);
      }
      if (killed) {
        member.kill();
      } else {
        assertEquals(143, member.terminate());
      }
    }
  }

  private Path segment() throws IOException {
    try (DirectoryStream<Path> segments =
        Files.newDirectoryStream(folder.resolve("data/member/wal"), "*.wal")) {
      return segments.iterator().next();
    }
  }

  @Test
  void anUnknownFlag() throws Exception {
    Ended ended = run("--bogus");
    assertEquals(2, ended.exit());
    assertTrue(ended.output().startsWith("flag provided but not defined: -bogus"), ended.output());
  }

  @Test
  void aMalformedUrl() throws Exception {
    Ended ended = run("--listen-client-urls", "127.0.0.1:2379");
    assertEquals(2, ended.exit());
    assertTrue(ended.output().startsWith("invalid value \"127.0.0.1:2379\""), ended.output());
  }

  @Test
  void anInitialClusterWithoutThisMember() throws Exception {
    Ended ended =
        run(
            "--data-dir", folder.resolve("data").toString(),
            "--name", "a",
            "--initial-cluster", "b=http://127.0.0.1:1");
    assertEquals(1, ended.exit());
    assertTrue(
        ended.reason().contains("couldn't find local name \\\"a\\\" in the initial cluster"),
        ended.output());
    assertFalse(Files.exists(folder.resolve("data")), "a refused start left a data directory");
  }

  @Test
  void aLockedDataDirectory() throws Exception {
    try (MemberProcess first = member()) {
      first.start();
      first.awaitHealthy(Duration.ofSeconds(120));
      putOne("a");
      String otherClient = "http://127.0.0.1:" + FreePorts.next();
      String otherPeer = "http://127.0.0.1:" + FreePorts.next();
      Ended second =
          run(
              "--data-dir", folder.resolve("data").toString(),
              "--listen-client-urls", otherClient,
              "--advertise-client-urls", otherClient,
              "--listen-peer-urls", otherPeer);
      assertEquals(1, second.exit());
      assertTrue(
          second.reason().contains("in use") || second.reason().contains("lock"), second.output());
      assertEquals(1, count());
    }
  }

  @Test
  void aDataDirectoryThatIsAFile() throws Exception {
    Files.writeString(folder.resolve("data"), "not a folder");
    Ended ended = run(memberArguments(), List.of());
    assertEquals(1, ended.exit());
    assertTrue(ended.reason().contains("cannot access data directory"), ended.output());
  }

  @Test
  void aDataDirectoryThatCannotBeWritten() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("r-xr-xr-x"));
    Ended ended = run(memberArguments(), withoutPrivileges());
    assertEquals(1, ended.exit());
    assertTrue(ended.reason().contains("permission denied"), ended.output());
  }

  /// Root may write anywhere, unless it gives its capabilities away.
  private static List<String> withoutPrivileges() {
    if (!System.getProperty("user.name").equals("root")) {
      return List.of();
    }
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
    return List.of("setpriv", "--bounding-set", "-all", "--inh-caps", "-all");
  }

  @Test
  void anOccupiedClientPort() throws Exception {
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
      Ended ended = run(memberArguments(), List.of());
      assertEquals(1, ended.exit());
      assertTrue(ended.output().contains("address already in use"), ended.output());
    }
  }

  @Test
  void anOccupiedPeerPort() throws Exception {
    int taken = Integer.parseInt(peer.substring(peer.lastIndexOf(':') + 1));
    try (ServerSocket _ = new ServerSocket(taken, 1, InetAddress.getByName("127.0.0.1"))) {
      Ended ended = run(memberArguments(), List.of());
      assertEquals(1, ended.exit());
      assertTrue(
          ended.output().toLowerCase(java.util.Locale.ROOT).contains("in use"), ended.output());
    }
  }

  @Test
  void aLogDamagedInTheMiddle() throws Exception {
    dataWithKeys(20, true);
    Path segment = segment();
    byte[] before = Files.readAllBytes(segment);
    int offset = indexOf(before, "value of key-3".getBytes(StandardCharsets.UTF_8));
    flip(segment, offset);
    Ended ended = run(memberArguments(), List.of());
    assertEquals(1, ended.exit());
    assertTrue(ended.reason().contains(segment.getFileName().toString()), ended.output());
    assertTrue(ended.reason().contains("at byte"), ended.output());
    flip(segment, offset);
    restartHolds(20);
  }

  @Test
  void aTornTailIsCut() throws Exception {
    dataWithKeys(20, true);
    Path segment = segment();
    byte[] content = Files.readAllBytes(segment);
    int offset = indexOf(content, "value of key-19".getBytes(StandardCharsets.UTF_8));
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.setLength(offset + 4);
    }
    try (MemberProcess member = member()) {
      member.start();
      member.awaitHealthy(Duration.ofSeconds(120));
      assertTrue(count() >= 19, "more than the torn record was lost");
    }
  }

  @Test
  void aForeignStore() throws Exception {
    dataWithKeys(3, false);
    Path db = folder.resolve("data/member/snap/db");
    byte[] before = Files.readAllBytes(db);
    Files.writeString(db, "this is no database, ".repeat(1000));
    Ended ended = run(memberArguments(), List.of());
    assertEquals(1, ended.exit());
    assertTrue(ended.reason().contains(db.getFileName().toString()), ended.output());
    Files.write(db, before);
    restartHolds(3);
  }

  @Test
  void aTruncatedStore() throws Exception {
    dataWithKeys(3, false);
    Path db = folder.resolve("data/member/snap/db");
    byte[] before = Files.readAllBytes(db);
    Files.write(db, Arrays.copyOf(before, before.length / 2));
    Ended ended = run(memberArguments(), List.of());
    assertEquals(1, ended.exit());
    assertTrue(ended.reason().contains(db.toString()), ended.output());
    Files.write(db, before);
    restartHolds(3);
  }

  @Test
  void theDataOfAnotherCluster() throws Exception {
    dataWithKeys(3, false);
    Path mine = folder.resolve("data");
    Path other = folder.resolve("other");
    Files.move(mine, other);
    choosePorts();
    dataWithKeys(1, false);
    Path swapped = folder.resolve("data/member/wal");
    Files.move(swapped, folder.resolve("wal-of-this"));
    Files.move(other.resolve("member/wal"), swapped);
    Ended ended = run(memberArguments(), List.of());
    assertEquals(1, ended.exit());
    assertTrue(ended.reason().contains("another cluster"), ended.output());
  }

  @Test
  void garbageOnTheClientPort() throws Exception {
    try (MemberProcess member = member()) {
      member.start();
      member.awaitHealthy(Duration.ofSeconds(120));
      putOne("a");
      for (byte[] garbage :
          List.of(
              new byte[] {0, 1, 2, 3, (byte) 0xff, (byte) 0xfe},
              "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrubbish".getBytes(StandardCharsets.US_ASCII))) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
          OutputStream out = socket.getOutputStream();
          out.write(garbage);
          out.flush();
          socket.setSoTimeout(10_000);
          assertTrue(socket.getInputStream().read() >= -1);
        }
      }
      assertEquals(1, count());
    }
  }

  @Test
  void aFullDisk() throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", small.toString())
            .redirectErrorStream(true)
            .start();
    assumeTrue(mount.waitFor() == 0, "needs the right to mount a small file system");
    try {
      Files.createSymbolicLink(folder.resolve("data"), Files.createDirectory(small.resolve("d")));
      int written = fillUp();
      assertTrue(written > 0);
      Files.deleteIfExists(small.resolve("ballast"));
      restartHoldsAtLeast(written);
    } finally {
      new ProcessBuilder("umount", "-l", small.toString()).start().waitFor();
    }
  }

  /// Fills the disk under a running member; it may refuse writes or end, but what it acknowledged
  /// must be there afterwards.
  private int fillUp() throws Exception {
    int acknowledged = 0;
    try (MemberProcess member = member()) {
      member.start();
      member.awaitHealthy(Duration.ofSeconds(120));
      Path ballast = folder.resolve("small/ballast");
      try (OutputStream out = Files.newOutputStream(ballast)) {
        byte[] block = new byte[1 << 16];
        for (int i = 0; i < 2000; i++) {
          out.write(block);
        }
      } catch (IOException full) {
        // That is the point.
      }
      for (int i = 0; i < 200; i++) {
        try {
          putOne("key-" + i);
          acknowledged++;
        } catch (io.grpc.StatusRuntimeException refused) {
          break;
        }
      }
    }
    return acknowledged;
  }

  private void restartHolds(int keys) throws Exception {
    try (MemberProcess member = member()) {
      member.start();
      member.awaitHealthy(Duration.ofSeconds(120));
      assertEquals(keys, count());
    }
  }

  private void restartHoldsAtLeast(int keys) throws Exception {
    try (MemberProcess member = member()) {
      member.start();
      member.awaitHealthy(Duration.ofSeconds(120));
      assertTrue(count() >= keys, () -> "fewer than " + keys);
    }
  }

  private static void flip(Path file, int offset) throws IOException {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.seek(offset);
      int value = access.read();
      access.seek(offset);
      access.write(value ^ 0xff);
    }
  }

  private static int indexOf(byte[] content, byte[] wanted) {
    for (int i = 0; i <= content.length - wanted.length; i++) {
      if (Arrays.equals(content, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    throw new AssertionError("not in the file: " + new String(wanted, StandardCharsets.UTF_8));
  }
}
