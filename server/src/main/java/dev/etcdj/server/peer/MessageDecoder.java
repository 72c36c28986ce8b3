package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.List;

/// Reads stream `message`. Link heartbeats come out like any message, with no sender.
final class MessageDecoder extends ByteToMessageDecoder {
  /// Longest message that is accepted (LIM-49).
  static final long MAX_MESSAGE_BYTES = 512L << 20;

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    Message.Remote message = readPrefixed(in);
    if (message != null) {
      out.add(message);
    }
  }

  /// The message behind an 8-byte length, or null when it is not all there yet.
  static Message.@org.jspecify.annotations.Nullable Remote readPrefixed(ByteBuf in) {
    if (in.readableBytes() < 8) {
      return null;
    }
    long length = in.getLong(in.readerIndex());
    if (length < 0 || length > MAX_MESSAGE_BYTES) {
      throw new CorruptedFrameException(
          "raft message of "
              + Long.toUnsignedString(length)
              + " bytes, at most "
              + MAX_MESSAGE_BYTES
              + " expected");
    }
    if (in.readableBytes() < 8 + length) {
      return null;
    }
    in.skipBytes(8);
    return RaftCodec.read(in, (int) length);
  }
}
