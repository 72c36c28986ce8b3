package dev.etcdj.server.peer;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.ArrayList;
import java.util.List;

/// Reads stream `msgapp` ([MsgAppEncoder] draws it). Entries of a run are taken as they arrive,
/// so a long run that comes in pieces is parsed once. Link heartbeats are swallowed.
final class MsgAppDecoder extends ByteToMessageDecoder {
  private enum State {
    TYPE,
    COUNT,
    ENTRIES,
    COMMIT,
    MESSAGE
  }

  private final long peer;
  private final long self;
  private State state = State.TYPE;
  private long term;
  private long index;
  private long missing;
  private long runBytes;
  private List<Entry> entries = new ArrayList<>();

  MsgAppDecoder(long peer, long self) {
    this.peer = peer;
    this.self = self;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    switch (state) {
      case TYPE -> type(in.readByte());
      case COUNT -> count(in);
      case ENTRIES -> entry(in);
      case COMMIT -> commit(in, out);
      case MESSAGE -> message(in, out);
    }
  }

  private void type(byte type) {
    switch (type) {
      case MsgAppEncoder.LINK_HEARTBEAT -> {}
      case MsgAppEncoder.ENTRIES -> state = State.COUNT;
      case MsgAppEncoder.MESSAGE -> state = State.MESSAGE;
      default -> throw new CorruptedFrameException("append message of unknown form " + type);
    }
  }

  private void count(ByteBuf in) {
    if (in.readableBytes() < 8) {
      return;
    }
    missing = in.readLong();
    if (missing < 0) {
      throw new CorruptedFrameException("run of " + Long.toUnsignedString(missing) + " entries");
    }
    entries = new ArrayList<>((int) Math.min(missing, 1024));
    runBytes = 0;
    state = missing == 0 ? State.COMMIT : State.ENTRIES;
  }

  private void entry(ByteBuf in) {
    if (in.readableBytes() < 8) {
      return;
    }
    long length = in.getLong(in.readerIndex());
    // Empty entries still take memory here, so each counts for a little more than its bytes.
    if (length < 0 || runBytes + length + 32 > MessageDecoder.MAX_MESSAGE_BYTES) {
      throw new CorruptedFrameException(
          "run of entries longer than " + MessageDecoder.MAX_MESSAGE_BYTES + " bytes");
    }
    if (in.readableBytes() < 8 + length) {
      return;
    }
    in.skipBytes(8);
    entries.add(RaftCodec.readEntry(in, (int) length));
    runBytes += length + 32;
    missing--;
    if (missing == 0) {
      state = State.COMMIT;
    }
  }

  private void commit(ByteBuf in, List<Object> out) {
    if (in.readableBytes() < 8) {
      return;
    }
    long commit = in.readLong();
    out.add(new Message.Append(peer, self, term, term, index, entries, commit));
    index += entries.size();
    entries = new ArrayList<>();
    state = State.TYPE;
  }

  private void message(ByteBuf in, List<Object> out) {
    Message.Remote message = MessageDecoder.readPrefixed(in);
    if (message == null) {
      return;
    }
    switch (message) {
      case Message.Append append -> {
        term = append.term();
        index = MsgAppEncoder.endOf(append);
      }
      case Message.CommitIndex news -> {
        term = news.term();
        index = news.prevIndex();
      }
      default ->
          throw new CorruptedFrameException(
              "stream of appends holds a " + message.getClass().getSimpleName());
    }
    out.add(message);
    state = State.TYPE;
  }
}
