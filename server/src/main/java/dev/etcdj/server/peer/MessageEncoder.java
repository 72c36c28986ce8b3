package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;

/// Stream `message`: an 8-byte length, then the message.
final class MessageEncoder implements StreamEncoder {
  private static final Message.Remote LINK_HEARTBEAT =
      new Message.Heartbeat(0, 0, 0, 0, dev.etcdj.raft.log.Bytes.EMPTY);

  @Override
  public void write(Message.Remote message, ByteBuf out) {
    writePrefixed(message, out);
  }

  @Override
  public void heartbeat(ByteBuf out) {
    writePrefixed(LINK_HEARTBEAT, out);
  }

  /// Appends length and message; the length is filled in afterwards, so nothing is sized twice.
  static void writePrefixed(Message.Remote message, ByteBuf out) {
    int at = out.writerIndex();
    out.writeLong(0);
    RaftCodec.write(message, out);
    out.setLong(at, out.writerIndex() - at - 8);
  }
}
