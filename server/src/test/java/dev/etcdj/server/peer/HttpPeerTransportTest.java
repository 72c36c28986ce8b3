package dev.etcdj.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Transports that talk over real sockets: what arrives, in which order, and what is said of what
/// does not.
@Timeout(60)
class HttpPeerTransportTest {
  @Test
  void twoMembersExchangeEveryKindOfMessageInOrder() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      List<Message> sent = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        sent.add(new Message.Append(1, 2, 3, 3, i, entries(3, i, 1, 100), i));
      }
      for (int i = 0; i < sent.size(); i += 50) {
        a.transport.send(sent.subList(i, i + 50));
      }
      for (Message message : sent) {
        assertEquals(message, b.next());
      }
      List<Message> others =
          List.of(
              new Message.Heartbeat(2, 1, 3, 9, Bytes.wrap(new byte[] {1, 2})),
              new Message.Vote(2, 1, 4, 3, 9, Bytes.EMPTY),
              new Message.ReadIndex(2, 1, 0, Bytes.wrap(new byte[] {0, 0, 0, 0, 0, 0, 0, 5})),
              new Message.Propose(2, 1, 0, entries(0, -1, 1, 10)),
              new Message.TransferLeader(2, 1, 3));
      b.transport.send(others);
      for (Message message : others) {
        assertEquals(message, a.next());
      }
      assertNotEquals(0, a.transport.activeSince(2));
      assertEquals(0, a.transport.activeSince(99));
    }
  }

  @Test
  void ofSeveralAppendResponsesToOneMemberInABatchOnlyTheLastLeaves() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      a.transport.send(
          List.of(
              response(5),
              response(6),
              new Message.HeartbeatResponse(1, 2, 3, Bytes.EMPTY),
              response(7)));
      assertInstanceOf(Message.HeartbeatResponse.class, b.next());
      assertEquals(response(7), b.next());
      a.transport.send(List.of(response(8)));
      assertEquals(response(8), b.next());
    }
  }

  @Test
  void messagesTakeThePipelineWhileNoStreamIsOpen() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      // b does not know a, so it opens no stream; it answers a as a remote.
      a.knows(b);
      Message vote = new Message.Vote(1, 2, 4, 3, 9, Bytes.EMPTY);
      a.transport.send(List.of(vote));
      assertEquals(vote, b.next());
      assertEquals(0, a.transport.activeSince(2));
    }
  }

  @Test
  void aRemoteThatNamedItsUrlsCanBeAnswered() throws Exception {
    try (TestMember a = new TestMember(1, 23761);
        TestMember b = new TestMember(2)) {
      a.knows(b);
      a.transport.send(List.of(new Message.PreVote(1, 2, 4, 3, 9, Bytes.EMPTY)));
      b.next();
      b.transport.send(List.of(new Message.PreVoteResponse(2, 1, 4, true)));
      assertEquals(new Message.PreVoteResponse(2, 1, 4, true), a.next());
    }
  }

  @Test
  void threeMembersGoOnAfterOneWasKilledAndCameBack() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      int port;
      try (TestMember c = new TestMember(3)) {
        connect(a, c);
        connect(b, c);
        port = c.url.getPort();
      }
      await(() -> a.transport.activeSince(3) == 0, "a sees that c is gone");
      int before = a.unreachable.get();
      a.transport.send(List.of(heartbeat(1, 3), heartbeat(1, 2)));
      assertEquals(heartbeat(1, 2), b.next());
      await(() -> a.unreachable.get() > before, "a is told that c is unreachable");
      try (TestMember again = new TestMember(3, port)) {
        again.knows(a);
        connected(a, again);
        a.transport.send(List.of(heartbeat(1, 3)));
        assertEquals(heartbeat(1, 3), again.next());
      }
    }
  }

  @Test
  void entriesOfManyMegabytesArrive() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      Message big = new Message.Append(1, 2, 3, 3, 0, entries(3, 0, 4, 6 << 20), 0);
      a.transport.send(List.of(big, new Message.Append(1, 2, 3, 3, 4, entries(3, 4, 1, 1), 4)));
      assertEquals(big, b.next());
      assertEquals(4, ((Message.Append) b.next()).prevIndex());
    }
  }

  @Test
  void aSnapshotArrivesWholeWithTheMetadataOfItsContents() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      a.snapshotBytes = 20_000_003;
      a.transport.send(List.of(new Message.InstallSnapshot(1, 2, 6, Snapshot.EMPTY)));
      assertEquals(true, a.snapshotsSent.poll(20, TimeUnit.SECONDS));
      assertEquals(
          "77 20000003 " + new TestMember.TestSnapshot(20_000_003, -1).digest(),
          b.snapshotsReceived.poll());
      assertEquals(
          new Message.InstallSnapshot(1, 2, 6, TestMember.TestSnapshot.METADATA), b.next());
    }
  }

  @Test
  void aSnapshotThatCannotBeStoredOrIsCutShortIsReportedAndNotStepped() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      b.failToStore = true;
      a.transport.send(List.of(new Message.InstallSnapshot(1, 2, 6, Snapshot.EMPTY)));
      assertEquals(false, a.snapshotsSent.poll(20, TimeUnit.SECONDS));
      b.failToStore = false;
      a.announcedBytes = a.snapshotBytes + 1;
      a.transport.send(List.of(new Message.InstallSnapshot(1, 2, 6, Snapshot.EMPTY)));
      assertEquals(false, a.snapshotsSent.poll(20, TimeUnit.SECONDS));
      assertTrue(b.snapshotsReceived.isEmpty());
      assertTrue(b.inbox.isEmpty());
    }
  }

  @Test
  void aRemovedMemberIsToldByStreamAndByPost() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      b.removed.add(1L);
      a.knows(b);
      await(() -> a.removedCalls.get() > 0, "410 on a stream");
      int before = a.removedCalls.get();
      a.transport.removePeer(2);
      a.transport.addRemote(2, List.of(b.url.toString()));
      a.transport.send(List.of(heartbeat(1, 2)));
      await(() -> a.removedCalls.get() > before, "403 on a post");
    }
  }

  @Test
  void aPeerThatIsRemovedHereIsNoLongerTalkedTo() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      connect(a, b);
      a.transport.removePeer(2);
      a.transport.send(List.of(heartbeat(1, 2)));
      await(() -> a.transport.activeSince(2) == 0, "no stream is left");
      await(() -> b.unreachable.get() > 0, "b notices");
      assertTrue(b.inbox.isEmpty());
    }
  }

  @Test
  void theNextUrlIsTriedWhenOneDoesNotWork() throws Exception {
    try (TestMember a = new TestMember(1);
        TestMember b = new TestMember(2)) {
      b.knows(a);
      a.transport.addPeer(2, List.of("http://127.0.0.1:1", b.url.toString()));
      connected(a, b);
    }
  }

  static void connect(TestMember a, TestMember b) throws InterruptedException {
    a.knows(b);
    b.knows(a);
    connected(a, b);
  }

  /// Waits until each has both streams of the other open for writing.
  static void connected(TestMember a, TestMember b) throws InterruptedException {
    await(() -> streaming(a, b) && streaming(b, a), "streams between members");
  }

  private static boolean streaming(TestMember from, TestMember to) {
    RemotePeer peer = from.transport.find(to.id);
    return peer != null && peer.streamsOpen() == 2 && from.transport.activeSince(to.id) != 0;
  }

  static void await(BooleanSupplier condition, String what) throws InterruptedException {
    for (int i = 0; i < 2000; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("did not come to be within 20 s: " + what);
  }

  private static Message.AppendResponse response(long index) {
    return new Message.AppendResponse(1, 2, 3, index, false, 0, 0);
  }

  private static Message.Heartbeat heartbeat(long from, long to) {
    return new Message.Heartbeat(from, to, 3, 1, Bytes.EMPTY);
  }

  static List<Entry> entries(long term, long after, int count, int bytes) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      byte[] data = new byte[bytes];
      data[0] = (byte) i;
      entries.add(new Entry(term, after + i, EntryType.NORMAL, Bytes.wrap(data)));
    }
    return entries;
  }
}
