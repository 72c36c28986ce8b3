package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Keeps one stream to a peer open for reading: dials, reads until it breaks, dials again after a
/// pause, with the peer's next URL. Everything but [#start] and [#stop] runs on one event loop.
final class StreamReader {
  static final long REDIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  static final long READ_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int MAX_LINE_BYTES = 4 << 10;
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_PIECE_BYTES = 64 << 10;

  private final StreamKind kind;
  private final RemotePeer peer;
  private final PeerContext context;
  private final EventLoop loop;

  private boolean stopped;
  private @Nullable Channel channel;
  private @Nullable URI url;
  private boolean established;

  StreamReader(StreamKind kind, RemotePeer peer, PeerContext context) {
    this.kind = kind;
    this.peer = peer;
    this.context = context;
    this.loop = context.dialer().nextLoop();
  }

  /// Begins to dial. Any thread; once.
  void start() {
    loop.execute(this::dial);
  }

  /// Closes the stream for good. Any thread.
  void stop() {
    loop.execute(
        () -> {
          stopped = true;
          if (channel != null) {
            channel.close();
          }
        });
  }

  private void dial() {
    if (stopped) {
      return;
    }
    URI target = peer.urls().current();
    url = target;
    context
        .dialer()
        .dial(target, loop, this::setUp)
        .whenComplete(
            (opened, failure) -> {
              if (failure != null) {
                loop.execute(() -> broken(String.valueOf(failure.getMessage())));
              }
            });
  }

  private void setUp(Channel opened) {
    channel = opened;
    opened
        .pipeline()
        .addLast(new ReadTimeoutHandler(READ_TIMEOUT_NANOS, TimeUnit.NANOSECONDS))
        .addLast(new HttpClientCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_PIECE_BYTES))
        .addLast(new Answer());
  }

  /// The connection or the attempt at one is over; the next attempt is due after the pause.
  private void broken(String reason) {
    channel = null;
    if (url != null) {
      peer.urls().failed(url);
    }
    if (established) {
      established = false;
      peer.readerDown(kind, reason);
    } else {
      peer.dialFailed(kind, reason);
    }
    if (!stopped) {
      loop.schedule(this::dial, REDIAL_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  /// Sends the request, judges the answer, and hands the body's bytes to the decoder behind it.
  private final class Answer extends ChannelInboundHandlerAdapter {
    private String reason = "closed by the peer";

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1,
              HttpMethod.GET,
              "/raft/stream/" + kind.path() + "/" + Long.toHexString(context.identity().self()));
      if (url != null) {
        request.headers().set(HttpHeaderNames.HOST, url.getAuthority());
      }
      context.identity().describe(request.headers());
      request.headers().set(PeerIdentity.RAFT_TO, Long.toHexString(peer.id()));
      ctx.writeAndFlush(request);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof HttpResponse head) {
        answered(ctx, head);
      }
      if (message instanceof HttpContent piece) {
        content(ctx, piece);
      } else {
        ReferenceCountUtil.release(message);
      }
    }

    private void answered(ChannelHandlerContext ctx, HttpResponse head) {
      if (head.decoderResult().isFailure()) {
        reason = "answer is no HTTP";
        ctx.close();
        return;
      }
      int status = head.status().code();
      if (status == 200) {
        established = true;
        ctx.pipeline().addLast(decoder()).addLast(new Sink());
        peer.readerUp(kind);
        return;
      }
      reason = "answered with status " + status;
      if (status == 410) {
        peer.removedByPeer();
      }
      ctx.close();
    }

    private ChannelInboundHandlerAdapter decoder() {
      return switch (kind) {
        case MSGAPP -> new MsgAppDecoder(peer.id(), context.identity().self());
        case MESSAGE -> new MessageDecoder();
      };
    }

    private void content(ChannelHandlerContext ctx, HttpContent piece) {
      ByteBuf bytes = piece.content();
      if (established && bytes.isReadable()) {
        peer.metrics().receivedBytes(bytes.readableBytes());
        ctx.fireChannelRead(bytes);
      } else {
        piece.release();
      }
      if (piece instanceof LastHttpContent) {
        ctx.close();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      ctx.fireChannelInactive();
      broken(reason);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      failed(ctx, cause);
    }

    private void failed(ChannelHandlerContext ctx, Throwable cause) {
      reason =
          cause instanceof ReadTimeoutException
              ? "read timed out"
              : String.valueOf(cause.getMessage());
      ctx.close();
    }

    /// Hands messages to the member, those of one read together.
    private final class Sink extends ChannelInboundHandlerAdapter {
      private final List<Message> read = new ArrayList<>();

      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        boolean linkBeat =
            message instanceof Message.Heartbeat beat && beat.from() == 0 && beat.to() == 0;
        if (!linkBeat) {
          read.add((Message) message);
        }
      }

      @Override
      public void channelReadComplete(ChannelHandlerContext ctx) {
        if (read.isEmpty()) {
          return;
        }
        int refused = read.size() - context.events().received(read);
        for (int i = 0; i < refused; i++) {
          peer.metrics().receiveFailed();
        }
        read.clear();
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failed(ctx, cause);
      }
    }
  }
}
