package dev.etcdj.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Copies small writes into one buffer until the flush. An HTTP/2 frame is written as two buffers,
/// its header and its content; with thousands of short frames per flush, keeping account of each
/// buffer and handing each to the kernel costs more than copying them.
///
/// Order is kept, and a write's promise is completed when the bytes have reached the socket. Holds
/// at most `GATHERED_BYTES` per connection, and nothing after a flush.
final class SmallWrites extends ChannelOutboundHandlerAdapter {
  static final int SMALL_BYTES = 4 << 10;
  static final int GATHERED_BYTES = 32 << 10;

  private @Nullable ByteBuf gathered;
  private List<ChannelPromise> promises = new ArrayList<>();

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof ByteBuf bytes) || bytes.readableBytes() > SMALL_BYTES) {
      passOn(ctx);
      ctx.write(message, promise);
      return;
    }
    ByteBuf into = gathered;
    if (into == null || into.writableBytes() < bytes.readableBytes()) {
      passOn(ctx);
      into = ctx.alloc().directBuffer(GATHERED_BYTES, GATHERED_BYTES);
      gathered = into;
    }
    into.writeBytes(bytes);
    bytes.release();
    if (!promise.isVoid()) {
      promises.add(promise);
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    passOn(ctx);
    ctx.flush();
  }

  @Override
  public void disconnect(ChannelHandlerContext ctx, ChannelPromise promise) {
    passOn(ctx);
    ctx.disconnect(promise);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    passOn(ctx);
    ctx.close(promise);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    passOn(ctx);
  }

  private void passOn(ChannelHandlerContext ctx) {
    ByteBuf out = gathered;
    if (out == null) {
      return;
    }
    gathered = null;
    if (promises.isEmpty()) {
      ctx.write(out, ctx.voidPromise());
      return;
    }
    List<ChannelPromise> covered = promises;
    promises = new ArrayList<>(covered.size());
    ctx.write(out).addListener((ChannelFutureListener) done -> complete(covered, done));
  }

  private static void complete(List<ChannelPromise> covered, ChannelFuture done) {
    Throwable cause = done.cause();
    for (ChannelPromise each : covered) {
      if (cause == null) {
        each.trySuccess();
      } else {
        each.tryFailure(cause);
      }
    }
  }
}
