package dev.etcdj.server.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One client connection: one request at a time, then idle until used again or too old.
final class ClientConnection extends ChannelInboundHandlerAdapter {
  /// A kept connection was gone before any part of an answer came.
  static final class Stale extends IOException {
    private static final long serialVersionUID = 1L;

    Stale() {
      super("connection was closed while idle");
    }
  }

  private final Predicate<ClientConnection> giveBack;
  private final Consumer<ClientConnection> forget;
  // Set once before the connection is handed to anyone.
  private volatile @Nullable Channel channel;

  // Event loop only.
  private @Nullable CompletableFuture<PeerClient.Response> pending;
  private boolean reused;
  private int maxBytes;
  private @Nullable HttpResponse head;
  private byte[] body = new byte[0];
  private @Nullable Future<?> expiry;

  /// @param giveBack called when idle; false closes the connection
  /// @param forget called when an idle connection is gone
  ClientConnection(Predicate<ClientConnection> giveBack, Consumer<ClientConnection> forget) {
    this.giveBack = giveBack;
    this.forget = forget;
  }

  void setUp(Channel opened) {
    channel = opened;
    opened.pipeline().addLast(new HttpClientCodec()).addLast(this);
  }

  boolean isOpen() {
    Channel opened = channel;
    return opened != null && opened.isActive();
  }

  void close() {
    Channel opened = channel;
    if (opened != null) {
      opened.close();
    }
  }

  /// Sends a request, or the head of one whose body follows on the channel, and collects the
  /// answer. Any thread; the connection must be idle.
  CompletableFuture<PeerClient.Response> send(
      HttpRequest request, int maxResponseBytes, boolean onKeptConnection) {
    CompletableFuture<PeerClient.Response> answer = new CompletableFuture<>();
    Channel opened = channel;
    if (opened == null) {
      ReferenceCountUtil.release(request);
      answer.completeExceptionally(new Stale());
      return answer;
    }
    opened
        .eventLoop()
        .execute(
            () -> {
              pending = answer;
              reused = onKeptConnection;
              maxBytes = maxResponseBytes;
              head = null;
              body = new byte[0];
              if (expiry != null) {
                expiry.cancel(false);
              }
              opened
                  .writeAndFlush(request)
                  .addListener(
                      done -> {
                        if (!done.isSuccess()) {
                          fail(reused ? new Stale() : done.cause());
                          opened.close();
                        }
                      });
            });
    return answer;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (message instanceof HttpResponse response) {
        if (response.decoderResult().isFailure()) {
          fail(new IOException("answer is no HTTP"));
          ctx.close();
          return;
        }
        head = response;
      }
      if (message instanceof HttpContent piece) {
        content(ctx, piece);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void content(ChannelHandlerContext ctx, HttpContent piece) {
    ByteBuf bytes = piece.content();
    int length = bytes.readableBytes();
    if (body.length + length > maxBytes) {
      fail(new IOException("answer is longer than " + maxBytes + " bytes"));
      ctx.close();
      return;
    }
    if (length > 0) {
      int at = body.length;
      body = Arrays.copyOf(body, at + length);
      bytes.readBytes(body, at, length);
    }
    HttpResponse answered = head;
    if (piece instanceof LastHttpContent && answered != null) {
      finish(ctx, answered);
    }
  }

  private void finish(ChannelHandlerContext ctx, HttpResponse answered) {
    CompletableFuture<PeerClient.Response> answer = pending;
    pending = null;
    if (HttpUtil.isKeepAlive(answered) && giveBack.test(this)) {
      expiry =
          ctx.executor().schedule(this::expire, PeerClient.MAX_IDLE_NANOS, TimeUnit.NANOSECONDS);
    } else {
      ctx.close();
    }
    if (answer != null) {
      answer.complete(new PeerClient.Response(answered.status().code(), answered.headers(), body));
    }
  }

  private void expire() {
    // Whoever has taken it out of the idle ones meanwhile has a request on the way to this loop.
    forget.accept(this);
    if (pending == null) {
      close();
    }
  }

  private void fail(Throwable cause) {
    CompletableFuture<PeerClient.Response> answer = pending;
    pending = null;
    if (answer != null) {
      answer.completeExceptionally(cause);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    forget.accept(this);
    fail(reused && head == null ? new Stale() : new IOException("connection closed by the peer"));
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(reused && head == null ? new Stale() : cause);
    ctx.close();
  }
}
