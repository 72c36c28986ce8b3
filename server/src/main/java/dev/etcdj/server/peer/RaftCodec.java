package dev.etcdj.server.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.raftpb.SnapshotMetadata;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// raftpb.Message and raftpb.Entry, read and written by hand: they are what members spend most of
/// their traffic on. Fields are written in ascending number and only when not zero, the type
/// always (peer protocol, zero values in proto2 messages); absent is read as zero.
public final class RaftCodec {
  static final int MSG_PROP = 2;
  static final int MSG_APP = 3;
  static final int MSG_APP_RESP = 4;
  static final int MSG_VOTE = 5;
  static final int MSG_VOTE_RESP = 6;
  static final int MSG_SNAP = 7;
  static final int MSG_HEARTBEAT = 8;
  static final int MSG_HEARTBEAT_RESP = 9;
  static final int MSG_TRANSFER_LEADER = 13;
  static final int MSG_TIMEOUT_NOW = 14;
  static final int MSG_READ_INDEX = 15;
  static final int MSG_READ_INDEX_RESP = 16;
  static final int MSG_PRE_VOTE = 17;
  static final int MSG_PRE_VOTE_RESP = 18;
  static final int MSG_FORGET_LEADER = 23;

  /// Context of an append that is a [Message.CommitIndex]; etcd's members do not look at it.
  private static final Bytes UNANSWERED =
      Bytes.wrap("unanswered".getBytes(StandardCharsets.US_ASCII));

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int DELIMITED = 2;
  private static final int FIXED32 = 5;

  private RaftCodec() {}

  /// Appends the encoding of `message` to `out`.
  public static void write(Message.Remote message, ByteBuf out) {
    switch (message) {
      case Message.Propose m -> {
        head(out, MSG_PROP, m);
        entries(out, m.entries());
      }
      case Message.Append m -> {
        head(out, MSG_APP, m);
        number(out, 5, m.prevTerm());
        number(out, 6, m.prevIndex());
        entries(out, m.entries());
        number(out, 8, m.commit());
      }
      case Message.CommitIndex m -> {
        head(out, MSG_APP, m);
        number(out, 5, m.prevTerm());
        number(out, 6, m.prevIndex());
        number(out, 8, m.commit());
        bytes(out, 12, UNANSWERED);
      }
      case Message.AppendResponse m -> {
        head(out, MSG_APP_RESP, m);
        number(out, 5, m.hintTerm());
        number(out, 6, m.index());
        number(out, 10, m.reject() ? 1 : 0);
        number(out, 11, m.rejectHint());
      }
      case Message.Vote m -> {
        head(out, MSG_VOTE, m);
        number(out, 5, m.lastTerm());
        number(out, 6, m.lastIndex());
        bytes(out, 12, m.context());
      }
      case Message.VoteResponse m -> {
        head(out, MSG_VOTE_RESP, m);
        number(out, 10, m.reject() ? 1 : 0);
      }
      case Message.PreVote m -> {
        head(out, MSG_PRE_VOTE, m);
        number(out, 5, m.lastTerm());
        number(out, 6, m.lastIndex());
        bytes(out, 12, m.context());
      }
      case Message.PreVoteResponse m -> {
        head(out, MSG_PRE_VOTE_RESP, m);
        number(out, 10, m.reject() ? 1 : 0);
      }
      case Message.InstallSnapshot m -> {
        head(out, MSG_SNAP, m);
        byte[] snapshot = toProto(m.snapshot()).toByteArray();
        delimited(out, 9, snapshot.length);
        out.writeBytes(snapshot);
      }
      case Message.Heartbeat m -> {
        head(out, MSG_HEARTBEAT, m);
        number(out, 8, m.commit());
        bytes(out, 12, m.context());
      }
      case Message.HeartbeatResponse m -> {
        head(out, MSG_HEARTBEAT_RESP, m);
        bytes(out, 12, m.context());
      }
      case Message.TransferLeader m -> head(out, MSG_TRANSFER_LEADER, m);
      case Message.TimeoutNow m -> head(out, MSG_TIMEOUT_NOW, m);
      case Message.ReadIndex m -> {
        head(out, MSG_READ_INDEX, m);
        requestContext(out, m.context());
      }
      case Message.ReadIndexResponse m -> {
        head(out, MSG_READ_INDEX_RESP, m);
        number(out, 6, m.index());
        requestContext(out, m.context());
      }
      case Message.ForgetLeader m -> head(out, MSG_FORGET_LEADER, m);
    }
  }

  /// A read request's context travels as the data of one entry without term and index.
  private static void requestContext(ByteBuf out, Bytes context) {
    delimited(out, 7, delimitedSize(context.length()));
    bytes(out, 4, context);
  }

  private static void head(ByteBuf out, int type, Message message) {
    out.writeByte(1 << 3 | VARINT);
    out.writeByte(type);
    number(out, 2, message.to());
    number(out, 3, message.from());
    number(out, 4, message.term());
  }

  private static void entries(ByteBuf out, List<Entry> entries) {
    for (Entry entry : entries) {
      delimited(out, 7, size(entry));
      write(entry, out);
    }
  }

  /// Appends the encoding of `entry` to `out`.
  static void write(Entry entry, ByteBuf out) {
    number(out, 1, entry.type().number());
    number(out, 2, entry.term());
    number(out, 3, entry.index());
    bytes(out, 4, entry.data());
  }

  /// Length of an entry's encoding.
  static int size(Entry entry) {
    return numberSize(entry.type().number())
        + numberSize(entry.term())
        + numberSize(entry.index())
        + delimitedSize(entry.data().length());
  }

  /// About how many bytes a message takes, never too little by more than a few per cent.
  static int roughSize(Message.Remote message) {
    return switch (message) {
      case Message.Append m -> entriesSize(m.entries());
      case Message.Propose m -> entriesSize(m.entries());
      case Message.InstallSnapshot m -> 512 + m.snapshot().data().length();
      case Message.CommitIndex m -> 64;
      case Message.AppendResponse m -> 64;
      case Message.Vote m -> 64 + m.context().length();
      case Message.VoteResponse m -> 64;
      case Message.PreVote m -> 64 + m.context().length();
      case Message.PreVoteResponse m -> 64;
      case Message.Heartbeat m -> 64 + m.context().length();
      case Message.HeartbeatResponse m -> 64 + m.context().length();
      case Message.TransferLeader m -> 64;
      case Message.TimeoutNow m -> 64;
      case Message.ReadIndex m -> 64 + m.context().length();
      case Message.ReadIndexResponse m -> 64 + m.context().length();
      case Message.ForgetLeader m -> 64;
    };
  }

  private static int entriesSize(List<Entry> entries) {
    int size = 64;
    for (Entry entry : entries) {
      size += 32 + entry.data().length();
    }
    return size;
  }

  private static void number(ByteBuf out, int field, long value) {
    if (value != 0) {
      out.writeByte(field << 3 | VARINT);
      writeVarint(out, value);
    }
  }

  private static void bytes(ByteBuf out, int field, Bytes value) {
    if (!value.isEmpty()) {
      delimited(out, field, value.length());
      out.writeBytes(value.unsafeArray());
    }
  }

  private static void delimited(ByteBuf out, int field, int length) {
    out.writeByte(field << 3 | DELIMITED);
    writeVarint(out, length);
  }

  private static void writeVarint(ByteBuf out, long value) {
    while ((value & ~0x7fL) != 0) {
      out.writeByte((int) value | 0x80);
      value >>>= 7;
    }
    out.writeByte((int) value);
  }

  private static int varintSize(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  private static int numberSize(long value) {
    return value == 0 ? 0 : 1 + varintSize(value);
  }

  private static int delimitedSize(int length) {
    return length == 0 ? 0 : 1 + varintSize(length) + length;
  }

  /// Reads the message that fills the next `length` bytes of `in`.
  ///
  /// @throws CorruptedFrameException when the bytes are none, or of a type that never travels
  public static Message.Remote read(ByteBuf in, int length) {
    int end = in.readerIndex() + length;
    Draft draft = new Draft();
    while (in.readerIndex() < end) {
      int tag = (int) readVarint(in, end);
      switch (tag) {
        case 1 << 3 | VARINT -> draft.type = (int) readVarint(in, end);
        case 2 << 3 | VARINT -> draft.to = readVarint(in, end);
        case 3 << 3 | VARINT -> draft.from = readVarint(in, end);
        case 4 << 3 | VARINT -> draft.term = readVarint(in, end);
        case 5 << 3 | VARINT -> draft.logTerm = readVarint(in, end);
        case 6 << 3 | VARINT -> draft.index = readVarint(in, end);
        case 7 << 3 | DELIMITED -> draft.entries.add(readEntry(in, length(in, end)));
        case 8 << 3 | VARINT -> draft.commit = readVarint(in, end);
        case 9 << 3 | DELIMITED -> draft.snapshot = readSnapshot(in, length(in, end));
        case 10 << 3 | VARINT -> draft.reject = readVarint(in, end) != 0;
        case 11 << 3 | VARINT -> draft.rejectHint = readVarint(in, end);
        case 12 << 3 | DELIMITED -> draft.context = readBytes(in, length(in, end));
        default -> skip(in, tag, end);
      }
    }
    return draft.finish();
  }

  /// Reads the entry that fills the next `length` bytes of `in`, copying its data.
  static Entry readEntry(ByteBuf in, int length) {
    int end = in.readerIndex() + length;
    long term = 0;
    long index = 0;
    EntryType type = EntryType.NORMAL;
    Bytes data = Bytes.EMPTY;
    while (in.readerIndex() < end) {
      int tag = (int) readVarint(in, end);
      switch (tag) {
        case 1 << 3 | VARINT -> type = entryType(readVarint(in, end));
        case 2 << 3 | VARINT -> term = readVarint(in, end);
        case 3 << 3 | VARINT -> index = readVarint(in, end);
        case 4 << 3 | DELIMITED -> data = readBytes(in, length(in, end));
        default -> skip(in, tag, end);
      }
    }
    return new Entry(term, index, type, data);
  }

  private static EntryType entryType(long number) {
    if (number == 0) {
      return EntryType.NORMAL;
    } else if (number == 1) {
      return EntryType.CONF_CHANGE;
    } else if (number == 2) {
      return EntryType.CONF_CHANGE_V2;
    }
    throw new CorruptedFrameException("raft entry of unknown type " + number);
  }

  private static Bytes readBytes(ByteBuf in, int length) {
    byte[] copy = new byte[length];
    in.readBytes(copy);
    return Bytes.wrap(copy);
  }

  private static Snapshot readSnapshot(ByteBuf in, int length) {
    byte[] encoded = new byte[length];
    in.readBytes(encoded);
    try {
      return fromProto(dev.etcdj.proto.raftpb.Snapshot.parseFrom(encoded));
    } catch (InvalidProtocolBufferException malformed) {
      throw new CorruptedFrameException("raft snapshot does not parse", malformed);
    }
  }

  private static int length(ByteBuf in, int end) {
    long length = readVarint(in, end);
    if (length < 0 || length > end - in.readerIndex()) {
      throw new CorruptedFrameException("field of " + length + " bytes goes past its message");
    }
    return (int) length;
  }

  private static long readVarint(ByteBuf in, int end) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (in.readerIndex() >= end) {
        throw new CorruptedFrameException("number goes past its message");
      }
      byte next = in.readByte();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new CorruptedFrameException("number of more than 64 bits");
  }

  private static void skip(ByteBuf in, int tag, int end) {
    switch (tag & 7) {
      case VARINT -> readVarint(in, end);
      case FIXED64 -> skipBytes(in, 8, end);
      case DELIMITED -> in.skipBytes(length(in, end));
      case FIXED32 -> skipBytes(in, 4, end);
      default -> throw new CorruptedFrameException("field of unknown kind, tag " + tag);
    }
  }

  private static void skipBytes(ByteBuf in, int count, int end) {
    if (end - in.readerIndex() < count) {
      throw new CorruptedFrameException("fixed field goes past its message");
    }
    in.skipBytes(count);
  }

  /// The wire form of a snapshot.
  static dev.etcdj.proto.raftpb.Snapshot toProto(Snapshot snapshot) {
    ConfState conf = snapshot.confState();
    var state =
        dev.etcdj.proto.raftpb.ConfState.newBuilder()
            .addAllVoters(conf.voters())
            .addAllLearners(conf.learners())
            .addAllVotersOutgoing(conf.votersOutgoing())
            .addAllLearnersNext(conf.learnersNext());
    if (conf.autoLeave()) {
      state.setAutoLeave(true);
    }
    var proto =
        dev.etcdj.proto.raftpb.Snapshot.newBuilder()
            .setMetadata(
                SnapshotMetadata.newBuilder()
                    .setConfState(state)
                    .setIndex(snapshot.index())
                    .setTerm(snapshot.term()));
    if (!snapshot.data().isEmpty()) {
      proto.setData(ByteString.copyFrom(snapshot.data().unsafeArray()));
    }
    return proto.build();
  }

  private static Snapshot fromProto(dev.etcdj.proto.raftpb.Snapshot proto) {
    var conf = proto.getMetadata().getConfState();
    return new Snapshot(
        proto.getMetadata().getIndex(),
        proto.getMetadata().getTerm(),
        new ConfState(
            conf.getVotersList(),
            conf.getLearnersList(),
            conf.getVotersOutgoingList(),
            conf.getLearnersNextList(),
            conf.getAutoLeave()),
        Bytes.wrap(proto.getData().toByteArray()));
  }

  /// The fields of a message while it is read, before its type is known for sure.
  private static final class Draft {
    int type;
    long to;
    long from;
    long term;
    long logTerm;
    long index;
    final List<Entry> entries = new ArrayList<>(1);
    long commit;
    Snapshot snapshot = Snapshot.EMPTY;
    boolean reject;
    long rejectHint;
    Bytes context = Bytes.EMPTY;

    Message.Remote finish() {
      return switch (type) {
        case MSG_PROP -> new Message.Propose(from, to, term, entries);
        case MSG_APP ->
            context.equals(UNANSWERED) && entries.isEmpty()
                ? new Message.CommitIndex(from, to, term, logTerm, index, commit)
                : new Message.Append(from, to, term, logTerm, index, entries, commit);
        case MSG_APP_RESP ->
            new Message.AppendResponse(from, to, term, index, reject, rejectHint, logTerm);
        case MSG_VOTE -> new Message.Vote(from, to, term, logTerm, index, context);
        case MSG_VOTE_RESP -> new Message.VoteResponse(from, to, term, reject);
        case MSG_SNAP -> new Message.InstallSnapshot(from, to, term, snapshot);
        case MSG_HEARTBEAT -> new Message.Heartbeat(from, to, term, commit, context);
        case MSG_HEARTBEAT_RESP -> new Message.HeartbeatResponse(from, to, term, context);
        case MSG_TRANSFER_LEADER -> new Message.TransferLeader(from, to, term);
        case MSG_TIMEOUT_NOW -> new Message.TimeoutNow(from, to, term);
        case MSG_READ_INDEX -> new Message.ReadIndex(from, to, term, requestContext());
        case MSG_READ_INDEX_RESP ->
            new Message.ReadIndexResponse(from, to, term, index, requestContext());
        case MSG_PRE_VOTE -> new Message.PreVote(from, to, term, logTerm, index, context);
        case MSG_PRE_VOTE_RESP -> new Message.PreVoteResponse(from, to, term, reject);
        case MSG_FORGET_LEADER -> new Message.ForgetLeader(from, to, term);
        default -> throw new CorruptedFrameException("raft message of type " + type);
      };
    }

    private Bytes requestContext() {
      return entries.isEmpty() ? Bytes.EMPTY : entries.getFirst().data();
    }
  }
}
