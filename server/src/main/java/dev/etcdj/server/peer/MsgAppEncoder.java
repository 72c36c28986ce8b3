package dev.etcdj.server.peer;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;

/// Stream `msgapp`. Writer and reader both keep where the last append ended; one that goes on
/// there is written as its entries and commit index alone. A commit index that wants no
/// answer has no such short form.
///
/// ```
/// 00                                        link heartbeat
/// 01 count:8 (length:8 raftpb.Entry)* commit:8   continues at (term, index)
/// 02 length:8 raftpb.Message                     any other append
/// ```
final class MsgAppEncoder implements StreamEncoder {
  static final int LINK_HEARTBEAT = 0;
  static final int ENTRIES = 1;
  static final int MESSAGE = 2;

  private long term;
  private long index;

  @Override
  public void write(Message.Remote message, ByteBuf out) {
    switch (message) {
      case Message.Append append -> write(append, out);
      case Message.CommitIndex news -> {
        out.writeByte(MESSAGE);
        MessageEncoder.writePrefixed(news, out);
        term = news.term();
        index = news.prevIndex();
      }
      default ->
          throw new IllegalArgumentException(
              "not an append: " + message.getClass().getSimpleName());
    }
  }

  private void write(Message.Append append, ByteBuf out) {
    if (append.prevIndex() == index && append.prevTerm() == term && append.term() == term) {
      out.writeByte(ENTRIES);
      out.writeLong(append.entries().size());
      for (Entry entry : append.entries()) {
        out.writeLong(RaftCodec.size(entry));
        RaftCodec.write(entry, out);
      }
      out.writeLong(append.commit());
      index += append.entries().size();
    } else {
      out.writeByte(MESSAGE);
      MessageEncoder.writePrefixed(append, out);
      term = append.term();
      index = endOf(append);
    }
  }

  @Override
  public void heartbeat(ByteBuf out) {
    out.writeByte(LINK_HEARTBEAT);
  }

  /// Index of the last entry that a receiver of `append` has.
  static long endOf(Message.Append append) {
    return append.entries().isEmpty() ? append.prevIndex() : append.entries().getLast().index();
  }
}
