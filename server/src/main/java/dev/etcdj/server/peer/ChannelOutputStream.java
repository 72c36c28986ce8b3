package dev.etcdj.server.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Writes the body of an HTTP request from a virtual thread, which waits while the channel holds
/// more unsent bytes than its high water mark: one piece and that mark bound the memory.
final class ChannelOutputStream extends OutputStream {
  private static final int PIECE_BYTES = 64 << 10;
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(60);

  /// Wakes the writer. Must stand in the channel's pipeline.
  static final class Gate extends ChannelInboundHandlerAdapter {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    private void signal() {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    /// Waits until the channel takes more.
    void awaitWritable(Channel channel) throws IOException {
      lock.lock();
      try {
        long left = STALL_NANOS;
        while (channel.isActive() && !channel.isWritable()) {
          if (left <= 0) {
            throw new IOException("the peer takes no more bytes");
          }
          left = changed.awaitNanos(left);
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while sending");
      } finally {
        lock.unlock();
      }
      if (!channel.isActive()) {
        throw new IOException("connection closed by the peer");
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      signal();
      ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      signal();
      ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  private final Channel channel;
  private final Gate gate;
  private @Nullable ByteBuf piece;
  private long written;

  ChannelOutputStream(Channel channel, Gate gate) {
    this.channel = channel;
    this.gate = gate;
  }

  /// Bytes taken so far.
  long written() {
    return written;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int at = offset;
    int end = offset + length;
    while (at < end) {
      ByteBuf open = piece;
      if (open == null) {
        open = channel.alloc().buffer(PIECE_BYTES, PIECE_BYTES);
        piece = open;
      }
      int count = Math.min(end - at, open.writableBytes());
      open.writeBytes(bytes, at, count);
      at += count;
      written += count;
      if (!open.isWritable()) {
        flush();
      }
    }
  }

  @Override
  public void flush() throws IOException {
    ByteBuf full = piece;
    if (full == null || !full.isReadable()) {
      return;
    }
    gate.awaitWritable(channel);
    piece = null;
    channel.writeAndFlush(new DefaultHttpContent(full));
  }

  @Override
  public void close() {
    if (piece != null) {
      piece.release();
      piece = null;
    }
  }
}
