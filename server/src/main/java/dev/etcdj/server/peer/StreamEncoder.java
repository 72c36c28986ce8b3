package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;

/// Writes messages in a stream's format. Belongs to one connection and its event loop.
interface StreamEncoder {
  /// Appends one message.
  void write(Message.Remote message, ByteBuf out);

  /// Appends what tells the reader that the link is alive.
  void heartbeat(ByteBuf out);
}
