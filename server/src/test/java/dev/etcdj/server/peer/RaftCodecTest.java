package dev.etcdj.server.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.raftpb.EntryType;
import dev.etcdj.proto.raftpb.MessageType;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The hand-written codec writes what the generated classes write, and reads what they read. The
/// expectation is built field by field from RAFT-170 and the peer protocol §3.10. Replay with
/// -Dseed=.
class RaftCodecTest {
  private static final long SEED = Long.getLong("seed", 20260801);
  private static final Bytes UNANSWERED =
      Bytes.wrap("unanswered".getBytes(StandardCharsets.US_ASCII));

  @Test
  void writesAndReadsWhatTheGeneratedClassesDo() throws InvalidProtocolBufferException {
    Random random = new Random(SEED);
    for (int round = 0; round < 5000; round++) {
      Message.Remote message = RandomMessages.any(random);
      byte[] expected = toProto(message).toByteArray();
      byte[] written = encode(message);
      assertArrayEquals(expected, written, () -> "seed " + SEED + " " + message);
      assertEquals(
          message, RaftCodec.read(Unpooled.wrappedBuffer(written), written.length), "seed " + SEED);
    }
  }

  @Test
  void roughSizeIsNeverFarTooSmall() {
    Random random = new Random(SEED);
    for (int round = 0; round < 5000; round++) {
      Message.Remote message = RandomMessages.any(random);
      int real = encode(message).length;
      assertEquals(
          true, RaftCodec.roughSize(message) * 1.2 + 64 >= real, () -> real + " " + message);
    }
  }

  @Test
  void readsFieldsThatOlderMembersWriteAsZero() {
    // 3.6 and older write every scalar and an empty snapshot (§3.10).
    var proto =
        dev.etcdj.proto.raftpb.Message.newBuilder()
            .setType(MessageType.MsgHeartbeat)
            .setTo(1)
            .setFrom(2)
            .setTerm(3)
            .setLogTerm(0)
            .setIndex(0)
            .setCommit(9)
            .setSnapshot(
                dev.etcdj.proto.raftpb.Snapshot.newBuilder()
                    .setMetadata(
                        dev.etcdj.proto.raftpb.SnapshotMetadata.newBuilder()
                            .setConfState(
                                dev.etcdj.proto.raftpb.ConfState.newBuilder().setAutoLeave(false))
                            .setIndex(0)
                            .setTerm(0)))
            .setReject(false)
            .setRejectHint(0)
            .setContext(ByteString.EMPTY)
            .setVote(0)
            .build()
            .toByteArray();
    assertEquals(
        new Message.Heartbeat(2, 1, 3, 9, Bytes.EMPTY),
        RaftCodec.read(Unpooled.wrappedBuffer(proto), proto.length));
  }

  @Test
  void refusesTypesThatNeverTravel() {
    for (MessageType type :
        List.of(
            MessageType.MsgHup,
            MessageType.MsgBeat,
            MessageType.MsgUnreachable,
            MessageType.MsgSnapStatus,
            MessageType.MsgCheckQuorum,
            MessageType.MsgStorageAppend,
            MessageType.MsgStorageApplyResp)) {
      byte[] bytes =
          dev.etcdj.proto.raftpb.Message.newBuilder().setType(type).build().toByteArray();
      assertThrows(
          CorruptedFrameException.class,
          () -> RaftCodec.read(Unpooled.wrappedBuffer(bytes), bytes.length),
          type.name());
    }
  }

  @Test
  void garbageIsRefusedOrReadButNeverRunsPastItsMessage() {
    Random random = new Random(SEED);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = encode(RandomMessages.any(random));
      for (int i = 0; i < 3 && bytes.length > 0; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      ByteBuf in = Unpooled.buffer();
      in.writeBytes(bytes).writeBytes(new byte[64]);
      try {
        RaftCodec.read(in, bytes.length);
        assertEquals(bytes.length, in.readerIndex(), "seed " + SEED);
      } catch (CorruptedFrameException expected) {
        refused++;
      }
    }
    assertEquals(true, refused > 1000, "refused " + refused);
  }

  static byte[] encode(Message.Remote message) {
    ByteBuf out = Unpooled.buffer();
    RaftCodec.write(message, out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  private static dev.etcdj.proto.raftpb.Message toProto(Message.Remote message) {
    Proto p = new Proto(message);
    return switch (message) {
      case Message.Propose m -> p.type(2).entries(m.entries()).build();
      case Message.Append m ->
          p.type(3)
              .logTerm(m.prevTerm())
              .index(m.prevIndex())
              .entries(m.entries())
              .commit(m.commit())
              .build();
      case Message.CommitIndex m ->
          p.type(3)
              .logTerm(m.prevTerm())
              .index(m.prevIndex())
              .commit(m.commit())
              .context(UNANSWERED)
              .build();
      case Message.AppendResponse m ->
          p.type(4)
              .logTerm(m.hintTerm())
              .index(m.index())
              .reject(m.reject())
              .hint(m.rejectHint())
              .build();
      case Message.Vote m ->
          p.type(5).logTerm(m.lastTerm()).index(m.lastIndex()).context(m.context()).build();
      case Message.VoteResponse m -> p.type(6).reject(m.reject()).build();
      case Message.InstallSnapshot m -> p.type(7).snapshot(m.snapshot()).build();
      case Message.Heartbeat m -> p.type(8).commit(m.commit()).context(m.context()).build();
      case Message.HeartbeatResponse m -> p.type(9).context(m.context()).build();
      case Message.TransferLeader m -> p.type(13).build();
      case Message.TimeoutNow m -> p.type(14).build();
      case Message.ReadIndex m -> p.type(15).request(m.context()).build();
      case Message.ReadIndexResponse m -> p.type(16).index(m.index()).request(m.context()).build();
      case Message.PreVote m ->
          p.type(17).logTerm(m.lastTerm()).index(m.lastIndex()).context(m.context()).build();
      case Message.PreVoteResponse m -> p.type(18).reject(m.reject()).build();
      case Message.ForgetLeader m -> p.type(23).build();
    };
  }

  /// Sets a field only when it is not zero, as 3.7 does.
  private static final class Proto {
    private final dev.etcdj.proto.raftpb.Message.Builder b =
        dev.etcdj.proto.raftpb.Message.newBuilder();

    Proto(Message m) {
      if (m.to() != 0) {
        b.setTo(m.to());
      }
      if (m.from() != 0) {
        b.setFrom(m.from());
      }
      if (m.term() != 0) {
        b.setTerm(m.term());
      }
    }

    Proto type(int number) {
      b.setType(MessageType.forNumber(number));
      return this;
    }

    Proto logTerm(long value) {
      if (value != 0) {
        b.setLogTerm(value);
      }
      return this;
    }

    Proto index(long value) {
      if (value != 0) {
        b.setIndex(value);
      }
      return this;
    }

    Proto commit(long value) {
      if (value != 0) {
        b.setCommit(value);
      }
      return this;
    }

    Proto reject(boolean value) {
      if (value) {
        b.setReject(true);
      }
      return this;
    }

    Proto hint(long value) {
      if (value != 0) {
        b.setRejectHint(value);
      }
      return this;
    }

    Proto context(Bytes value) {
      if (!value.isEmpty()) {
        b.setContext(ByteString.copyFrom(value.unsafeArray()));
      }
      return this;
    }

    Proto request(Bytes value) {
      var entry = dev.etcdj.proto.raftpb.Entry.newBuilder();
      if (!value.isEmpty()) {
        entry.setData(ByteString.copyFrom(value.unsafeArray()));
      }
      b.addEntries(entry);
      return this;
    }

    Proto entries(List<Entry> entries) {
      for (Entry e : entries) {
        var entry = dev.etcdj.proto.raftpb.Entry.newBuilder();
        if (e.type().number() != 0) {
          entry.setType(EntryType.forNumber(e.type().number()));
        }
        if (e.term() != 0) {
          entry.setTerm(e.term());
        }
        if (e.index() != 0) {
          entry.setIndex(e.index());
        }
        if (!e.data().isEmpty()) {
          entry.setData(ByteString.copyFrom(e.data().unsafeArray()));
        }
        b.addEntries(entry);
      }
      return this;
    }

    Proto snapshot(Snapshot s) {
      ConfState c = s.confState();
      var conf =
          dev.etcdj.proto.raftpb.ConfState.newBuilder()
              .addAllVoters(c.voters())
              .addAllLearners(c.learners())
              .addAllVotersOutgoing(c.votersOutgoing())
              .addAllLearnersNext(c.learnersNext());
      if (c.autoLeave()) {
        conf.setAutoLeave(true);
      }
      var snapshot =
          dev.etcdj.proto.raftpb.Snapshot.newBuilder()
              .setMetadata(
                  dev.etcdj.proto.raftpb.SnapshotMetadata.newBuilder()
                      .setConfState(conf)
                      .setIndex(s.index())
                      .setTerm(s.term()));
      if (!s.data().isEmpty()) {
        snapshot.setData(ByteString.copyFrom(s.data().unsafeArray()));
      }
      b.setSnapshot(snapshot);
      return this;
    }

    dev.etcdj.proto.raftpb.Message build() {
      return b.build();
    }
  }

  /// Any message, with extreme numbers as likely as small ones.
  static final class RandomMessages {
    private RandomMessages() {}

    static Message.Remote any(Random r) {
      long from = number(r);
      long to = number(r);
      long term = number(r);
      return switch (r.nextInt(16)) {
        case 0 -> new Message.Propose(from, to, term, entries(r));
        case 1 -> new Message.Append(from, to, term, number(r), number(r), entries(r), number(r));
        case 2 ->
            new Message.AppendResponse(
                from, to, term, number(r), r.nextBoolean(), number(r), number(r));
        case 3 -> new Message.Vote(from, to, term, number(r), number(r), bytes(r));
        case 4 -> new Message.VoteResponse(from, to, term, r.nextBoolean());
        case 5 -> new Message.InstallSnapshot(from, to, term, snapshot(r));
        case 6 -> new Message.Heartbeat(from, to, term, number(r), bytes(r));
        case 7 -> new Message.HeartbeatResponse(from, to, term, bytes(r));
        case 8 -> new Message.TransferLeader(from, to, term);
        case 9 -> new Message.TimeoutNow(from, to, term);
        case 10 -> new Message.ReadIndex(from, to, term, bytes(r));
        case 11 -> new Message.ReadIndexResponse(from, to, term, number(r), bytes(r));
        case 12 -> new Message.PreVote(from, to, term, number(r), number(r), bytes(r));
        case 13 -> new Message.PreVoteResponse(from, to, term, r.nextBoolean());
        case 14 -> new Message.CommitIndex(from, to, term, number(r), number(r), number(r));
        default -> new Message.ForgetLeader(from, to, term);
      };
    }

    static long number(Random r) {
      return switch (r.nextInt(4)) {
        case 0 -> 0;
        case 1 -> r.nextInt(300);
        default -> r.nextLong() >>> r.nextInt(64);
      };
    }

    static Bytes bytes(Random r) {
      byte[] bytes = new byte[r.nextInt(3) == 0 ? 0 : r.nextInt(300)];
      r.nextBytes(bytes);
      return Bytes.wrap(bytes);
    }

    static List<Entry> entries(Random r) {
      List<Entry> entries = new ArrayList<>();
      for (int i = r.nextInt(5); i > 0; i--) {
        entries.add(
            new Entry(
                number(r),
                number(r),
                dev.etcdj.raft.log.EntryType.values()[r.nextInt(3)],
                bytes(r)));
      }
      return entries;
    }

    private static Snapshot snapshot(Random r) {
      return new Snapshot(
          number(r),
          number(r),
          new ConfState(
              List.of(number(r), number(r)),
              List.of(number(r)),
              List.of(),
              List.of(),
              r.nextBoolean()),
          bytes(r));
    }
  }
}
