package dev.etcdj.server.http;

import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Tells by a connection's first bytes what it speaks: `PRI` begins HTTP/2 and goes to gRPC, a
/// word of capitals and a space is an HTTP/1 method, all else is told off and closed.
final class PortNegotiator implements InternalProtocolNegotiator.ProtocolNegotiator {
  private static final int MAX_METHOD_BYTES = 16;

  private final Site site;
  private final ChannelGroup httpConnections;
  private final long decisionNanos;

  /// @param httpConnections takes note of HTTP/1 connections, which gRPC does not close
  /// @param decisionNanos a connection that has not said what it is by then is closed (LIM-12)
  PortNegotiator(Site site, ChannelGroup httpConnections, long decisionNanos) {
    this.site = site;
    this.httpConnections = httpConnections;
    this.decisionNanos = decisionNanos;
  }

  @Override
  public AsciiString scheme() {
    return AsciiString.of("http");
  }

  @Override
  public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
    return new FirstBytes(grpc);
  }

  @Override
  public void close() {}

  private enum Protocol {
    GRPC,
    HTTP1,
    NEITHER
  }

  /// What these bytes begin, or null when they are too few to tell.
  private static @Nullable Protocol protocolOf(ByteBuf in) {
    int length = Math.min(in.readableBytes(), MAX_METHOD_BYTES);
    for (int i = 0; i < length; i++) {
      byte next = in.getByte(in.readerIndex() + i);
      if (next == ' ') {
        boolean preface =
            i == 3
                && in.getByte(in.readerIndex()) == 'P'
                && in.getByte(in.readerIndex() + 1) == 'R'
                && in.getByte(in.readerIndex() + 2) == 'I';
        return preface ? Protocol.GRPC : i > 0 ? Protocol.HTTP1 : Protocol.NEITHER;
      }
      if (next < 'A' || next > 'Z') {
        return Protocol.NEITHER;
      }
    }
    return length == MAX_METHOD_BYTES ? Protocol.NEITHER : null;
  }

  private final class FirstBytes extends ByteToMessageDecoder {
    private final GrpcHttp2ConnectionHandler grpc;
    private boolean decided;
    private @Nullable Future<?> timer;

    FirstBytes(GrpcHttp2ConnectionHandler grpc) {
      this.grpc = grpc;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      timer = ctx.executor().schedule(() -> ctx.close(), decisionNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
      Protocol protocol = decided ? null : protocolOf(in);
      if (protocol == null) {
        return;
      }
      decided = true;
      cancelTimer();
      switch (protocol) {
        case GRPC -> {
          ctx.pipeline().addBefore(ctx.name(), null, new SmallWrites());
          ctx.pipeline()
              .addAfter(ctx.name(), null, InternalProtocolNegotiators.grpcNegotiationHandler(grpc));
          ctx.fireUserEventTriggered(
              InternalProtocolNegotiationEvent.withAttributes(
                  InternalProtocolNegotiationEvent.getDefault(), MessageBuffers.ATTRIBUTES));
          ctx.pipeline().remove(this);
        }
        case HTTP1 -> {
          httpConnections.add(ctx.channel());
          HttpServerHandler.install(ctx, site);
          ctx.pipeline().remove(this);
        }
        case NEITHER -> refuse(ctx, in);
      }
    }

    private void refuse(ChannelHandlerContext ctx, ByteBuf in) {
      in.skipBytes(in.readableBytes());
      ctx.writeAndFlush(
              Unpooled.copiedBuffer(
                  "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
                      + "Connection: close\r\n\r\n400 Bad Request: neither HTTP nor gRPC\n",
                  StandardCharsets.US_ASCII))
          .addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
      cancelTimer();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
      cancelTimer();
      super.channelInactive(ctx);
    }

    private void cancelTimer() {
      if (timer != null) {
        timer.cancel(false);
      }
    }
  }
}
