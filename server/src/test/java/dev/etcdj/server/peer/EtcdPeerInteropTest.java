package dev.etcdj.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.testkit.GoProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Our transport and etcd's own rafthttp 3.7.1 as peers: every channel in both directions. Needs
/// Go; the other side is testing/interop-go/peer.
@Tag("interop")
@Timeout(120)
class EtcdPeerInteropTest {
  private static final long US = 0xa1L;
  private static final long THEM = 0xeee1L;

  @TempDir static Path dir;
  private static Path program;

  @BeforeAll
  static void build() throws Exception {
    program = GoProgram.build("peer", dir).binary();
  }

  @Test
  void exchangesEverythingWithEtcdsTransport() throws Exception {
    try (TestMember us = new TestMember(US, 23763);
        EtcdPeer them = new EtcdPeer(us.url.toString())) {
      pipelineBothWays(us, them);
      us.transport.addPeer(THEM, List.of(them.url));
      HttpPeerTransportTest.await(
          () -> {
            RemotePeer peer = us.transport.find(THEM);
            return peer != null && peer.streamsOpen() == 2 && us.transport.activeSince(THEM) != 0;
          },
          "streams both ways");
      appends(us, them);
      messages(us, them);
      snapshots(us, them);
      assertEquals(0, us.removedCalls.get());
    }
  }

  /// Before we know the other as a member there are no streams between us.
  private static void pipelineBothWays(TestMember us, EtcdPeer them) throws Exception {
    us.transport.addRemote(THEM, List.of(them.url));
    us.transport.send(List.of(new Message.Heartbeat(US, THEM, 7, 3, Bytes.wrap(new byte[] {9}))));
    them.expect(
        "RECEIVED MsgHeartbeat from=161 to=61153 term=7 logterm=0 index=0 entries=0 bytes=0"
            + " first= commit=3 context=09");
    them.send("heartbeat 8 4 200");
    assertEquals(
        new Message.Heartbeat(THEM, US, 8, 4, Bytes.wrap(new byte[] {(byte) 200})), us.next());
  }

  private static void appends(TestMember us, EtcdPeer them) throws Exception {
    long index = 10;
    for (int i = 0; i < 20; i++) {
      // The first goes whole, the rest continue it, one in the middle starts anew (msgAppV2).
      if (i == 10) {
        index = 5;
      }
      us.transport.send(
          List.of(
              new Message.Append(
                  US, THEM, 3, 3, index, HttpPeerTransportTest.entries(3, index, 3, 1000), index)));
      them.expect(
          "RECEIVED MsgApp from=161 to=61153 term=3 logterm=3 index=%d entries=3 bytes=3000 first=3/%d commit=%d context="
              .formatted(index, index + 1, index));
      them.send("append 4 4 %d 2 70000 %d".formatted(index, index + 1));
      Message.Append got = (Message.Append) us.next();
      assertEquals(index, got.prevIndex());
      assertEquals(4, got.prevTerm());
      assertEquals(4, got.term());
      assertEquals(index + 1, got.commit());
      assertEquals(2, got.entries().size());
      assertEquals(index + 2, got.entries().get(1).index());
      assertEquals(70000, got.entries().get(1).data().length());
      assertEquals(2, got.entries().get(1).data().unsafeArray()[69999]);
      index += i % 2 == 0 ? 3 : 2;
    }
    // To etcd it is an append without entries.
    us.transport.send(List.of(new Message.CommitIndex(US, THEM, 3, 3, index, index - 1)));
    them.expect(
        "RECEIVED MsgApp from=161 to=61153 term=3 logterm=3 index=%d entries=0 bytes=0 first= commit=%d context=756e616e737765726564"
            .formatted(index, index - 1));
  }

  private static void messages(TestMember us, EtcdPeer them) throws Exception {
    us.transport.send(
        List.of(
            new Message.AppendResponse(US, THEM, 3, 12, true, 11, 2),
            new Message.ReadIndex(US, THEM, 0, Bytes.wrap(new byte[] {1, 2, 3}))));
    them.expect(
        "RECEIVED MsgAppResp from=161 to=61153 term=3 logterm=2 index=12 entries=0 bytes=0 first= commit=0 context=");
    them.expect(
        "RECEIVED MsgReadIndex from=161 to=61153 term=0 logterm=0 index=0 entries=1 bytes=3 first=0/0 commit=0 context=");
    them.send("readindex 77");
    assertEquals(new Message.ReadIndex(THEM, US, 0, Bytes.wrap(new byte[] {77})), us.next());
  }

  private static void snapshots(TestMember us, EtcdPeer them) throws Exception {
    us.snapshotBytes = 5_000_001;
    us.transport.send(List.of(new Message.InstallSnapshot(US, THEM, 6, Snapshot.EMPTY)));
    them.expect(
        "SNAPSHOT term=6 index=77 snapterm=5 voters=[1 2 3] bytes=5000001 sha256="
            + new TestMember.TestSnapshot(5_000_001, -1).digest());
    assertEquals(true, us.snapshotsSent.poll(10, TimeUnit.SECONDS));
    them.send("snapshot 9 1234 3000000");
    Message.InstallSnapshot got = (Message.InstallSnapshot) us.next();
    assertEquals(1234, got.snapshot().index());
    assertEquals(List.of(THEM, US), got.snapshot().confState().voters());
    assertTrue(us.snapshotsReceived.remove().startsWith("1234 3000000 "));
    them.expect("REPORT 161 finished=true");
  }

  /// The other side as a process.
  private static final class EtcdPeer implements AutoCloseable {
    private final Process process;
    private final PrintStream in;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    final String url;

    EtcdPeer(String ourUrl) throws Exception {
      process =
          new ProcessBuilder(
                  program.toString(),
                  Long.toString(THEM),
                  "127.0.0.1:23764",
                  Long.toString(US),
                  ourUrl,
                  Long.toString(TestMember.CLUSTER),
                  dir.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      Thread.ofVirtual().start(this::listen);
      String ready = said.poll(20, TimeUnit.SECONDS);
      if (ready == null || !ready.startsWith("READY ")) {
        throw new AssertionError("first line " + ready);
      }
      url = ready.substring(6);
    }

    private void listen() {
      try (BufferedReader out = process.inputReader()) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          said.add(line);
        }
      } catch (IOException gone) {
        said.add("GONE " + gone);
      }
    }

    void send(String command) {
      in.println(command);
    }

    /// The next line it says, apart from its own complaints while streams are not up yet.
    void expect(String line) throws InterruptedException {
      String next = said.poll(20, TimeUnit.SECONDS);
      while (next != null && next.startsWith("UNREACHABLE")) {
        next = said.poll(20, TimeUnit.SECONDS);
      }
      assertEquals(line, next);
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }
}
