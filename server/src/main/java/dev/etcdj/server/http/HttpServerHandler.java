package dev.etcdj.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves HTTP/1.1 on one connection, one request at a time: nothing is read while an answer is
/// outstanding, so pipelined requests wait in the socket and are answered in order. Each part of a
/// request is asked for; parts that were decoded early, out of the same bytes, wait in a queue that
/// one socket read bounds. (Netty's FlowControlHandler loses a request to read that is made while
/// it hands over a message.)
///
/// One instance per connection; everything but the reply hand-over runs on its event loop.
public final class HttpServerHandler extends ChannelInboundHandlerAdapter
    implements Route.Exchange {
  private static final Logger log = LoggerFactory.getLogger(HttpServerHandler.class);
  private static final int MAX_LINE_BYTES = 16 << 10;
  private static final int MAX_HEADER_BYTES = 64 << 10;
  private static final int MAX_PIECE_BYTES = 64 << 10;
  private static final long LINGER_MILLIS = 500;

  private enum State {
    /// Waits for the head of a request, or for more of its body.
    READING,
    /// A request is being worked on and nothing is expected from the client.
    ANSWERING,
    /// Answered before the client had said everything, which is thrown away now. Closing at once
    /// would reset the connection, and the client might lose the answer.
    LINGERING,
    /// The connection belongs to something else.
    TAKEN_OVER
  }

  private final Site site;
  private ChannelHandlerContext ctx;
  private State state = State.READING;
  private boolean keepAlive;
  private boolean bodyComplete = true;
  // Something was asked for and has not come: only then is the client late.
  private boolean reading;
  private final Deque<HttpObject> early = new ArrayDeque<>();
  private boolean delivering;
  private Route.@Nullable Body body;

  @SuppressWarnings("NullAway.Init") // ctx is set when the handler is added
  private HttpServerHandler(Site site) {
    this.site = site;
  }

  /// Puts an HTTP/1.1 server behind the handler of `after`. The channel is read on demand from
  /// here on.
  public static void install(ChannelHandlerContext after, Site site) {
    ChannelPipeline pipeline = after.pipeline();
    after.channel().config().setAutoRead(false);
    String previous = after.name();
    pipeline.addAfter(previous, "http-handler", new HttpServerHandler(site));
    if (site.idleNanos() > 0) {
      pipeline.addAfter(
          previous,
          "http-idle",
          new IdleStateHandler(site.idleNanos(), 0, 0, TimeUnit.NANOSECONDS));
    }
    pipeline.addAfter(
        previous,
        "http-codec",
        new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_PIECE_BYTES));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    if (context.channel().isActive()) {
      requestRead();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    requestRead();
    context.fireChannelActive();
  }

  private void requestRead() {
    reading = true;
    if (early.isEmpty()) {
      ctx.read();
    } else {
      deliver();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    early.add((HttpObject) message);
    deliver();
  }

  /// Hands over parts as long as they are asked for; asking again from within goes on here.
  private void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    while (reading && !early.isEmpty()) {
      reading = false;
      HttpObject part = early.remove();
      try {
        part(part);
      } finally {
        ReferenceCountUtil.release(part);
      }
    }
    delivering = false;
    if (reading) {
      ctx.read();
    }
  }

  private void part(HttpObject part) {
    if (state == State.LINGERING) {
      requestRead();
      return;
    }
    if (part.decoderResult().isFailure()) {
      keepAlive = false;
      answer(HttpReply.error(400, "400 Bad Request").closing());
      return;
    }
    if (part instanceof HttpRequest head) {
      begin(head);
    }
    if (part instanceof HttpContent piece) {
      content(piece);
    }
  }

  private void begin(HttpRequest head) {
    keepAlive = HttpUtil.isKeepAlive(head);
    bodyComplete = false;
    if (HttpUtil.is100ContinueExpected(head)) {
      ctx.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
    if (site.answersOptions() && head.method().equals(HttpMethod.OPTIONS)) {
      body = new Discard(HttpReply.empty(200));
      requestRead();
      return;
    }
    String path = pathOf(head.uri());
    switch (site.router().match(head.method().name(), path)) {
      case Router.UnknownPath unknown -> body = new Discard(HttpReply.notFound());
      case Router.WrongMethod wrong ->
          body = new Discard(HttpReply.methodNotAllowed(wrong.allowed()));
      case Router.Found(Route.Buffered route) ->
          body = new Collect(head, path, route.maxBodyBytes(), route.handler());
      case Router.Found(Route.Streamed route) -> body = route.opener().open(this, head);
    }
    // The codec hands over the body, or its empty end, as a message of its own.
    if (state != State.TAKEN_OVER) {
      requestRead();
    }
  }

  private void content(HttpContent piece) {
    bodyComplete = piece instanceof LastHttpContent;
    if (body != null && state != State.TAKEN_OVER) {
      body.content(piece);
    }
  }

  private static String pathOf(String uri) {
    try {
      return new QueryStringDecoder(uri).path();
    } catch (IllegalArgumentException malformed) {
      return uri;
    }
  }

  @Override
  public void read() {
    if (ctx.executor().inEventLoop()) {
      requestRead();
    } else {
      ctx.executor().execute(this::requestRead);
    }
  }

  @Override
  public void reply(HttpReply reply) {
    if (ctx.executor().inEventLoop()) {
      answer(reply);
    } else {
      ctx.executor().execute(() -> answer(reply));
    }
  }

  @Override
  public Route.Body discardThen(HttpReply reply) {
    return new Discard(reply);
  }

  @Override
  public Route.Body collectThen(HttpRequest head, int maxBytes, Route.Handler handler) {
    return new Collect(head, pathOf(head.uri()), maxBytes, handler);
  }

  @Override
  public ChannelHandlerContext takeOver() {
    state = State.TAKEN_OVER;
    reading = false;
    if (ctx.pipeline().get("http-idle") != null) {
      ctx.pipeline().remove("http-idle");
    }
    return ctx;
  }

  private void answer(HttpReply reply) {
    body = null;
    boolean close = reply.close() || !keepAlive || !bodyComplete;
    ByteBuf bytes = Unpooled.wrappedBuffer(reply.body());
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), bytes);
    add(site.headers(), response);
    add(reply.headers(), response);
    if (!reply.contentType().isEmpty()) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, reply.contentType());
    }
    if (reply.status() != 204) {
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, reply.body().length);
    }
    if (close) {
      response.headers().set(HttpHeaderNames.CONNECTION, "close");
    }
    ChannelFuture written = ctx.writeAndFlush(response);
    if (close && !bodyComplete) {
      state = State.LINGERING;
      written.addListener(this::linger);
      requestRead();
    } else if (close) {
      state = State.ANSWERING;
      written.addListener(ChannelFutureListener.CLOSE);
    } else {
      state = State.READING;
      requestRead();
    }
  }

  private void linger(Future<? super Void> written) {
    if (written.isSuccess() && ctx.channel() instanceof DuplexChannel channel) {
      channel.shutdownOutput();
      ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      ctx.close();
    }
  }

  private static void add(List<String> namesAndValues, FullHttpResponse response) {
    for (int i = 0; i < namesAndValues.size(); i += 2) {
      response.headers().add(namesAndValues.get(i), namesAndValues.get(i + 1));
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent) {
      if (reading && state == State.READING) {
        context.close();
      }
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    early.forEach(ReferenceCountUtil::release);
    early.clear();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    Route.Body unfinished = body;
    body = null;
    if (unfinished != null && state != State.TAKEN_OVER) {
      unfinished.aborted();
    }
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (state == State.TAKEN_OVER) {
      context.fireExceptionCaught(cause);
      return;
    }
    log.debug("closing an HTTP connection: {}", cause.toString());
    context.close();
  }

  /// Reads the body to its end, then gives an answer that was decided by the head.
  private final class Discard implements Route.Body {
    private static final int MAX_DISCARDED_BYTES = 256 << 10;
    private final HttpReply reply;
    private int discarded;

    Discard(HttpReply reply) {
      this.reply = reply;
    }

    @Override
    public void content(HttpContent piece) {
      discarded += piece.content().readableBytes();
      if (bodyComplete || discarded > MAX_DISCARDED_BYTES) {
        answer(reply);
      } else {
        requestRead();
      }
    }

    @Override
    public void aborted() {}
  }

  /// Collects a body up to the route's bound, then calls its handler.
  private final class Collect implements Route.Body {
    private final HttpRequest head;
    private final String path;
    private final int maxBytes;
    private final Route.Handler handler;
    private byte[] bytes = new byte[0];
    private int length;

    Collect(HttpRequest head, String path, int maxBytes, Route.Handler handler) {
      this.head = head;
      this.path = path;
      this.maxBytes = maxBytes;
      this.handler = handler;
    }

    @Override
    public void content(HttpContent piece) {
      int more = piece.content().readableBytes();
      if (more > maxBytes - length) {
        answer(HttpReply.error(413, "http: request body too large").closing());
        return;
      }
      if (more > bytes.length - length) {
        long grown = Math.max(length + more, Math.min(2L * length, maxBytes));
        bytes = Arrays.copyOf(bytes, (int) grown);
      }
      piece.content().readBytes(bytes, length, more);
      length += more;
      if (bodyComplete) {
        call();
      } else {
        requestRead();
      }
    }

    private void call() {
      state = State.ANSWERING;
      int mark = head.uri().indexOf('?');
      String query = mark < 0 ? "" : head.uri().substring(mark + 1);
      HttpCall call =
          new HttpCall(
              head.method().name(),
              path,
              query,
              head.headers(),
              length == bytes.length ? bytes : Arrays.copyOf(bytes, length),
              ctx.channel().remoteAddress());
      CompletableFuture<HttpReply> answer;
      try {
        answer = handler.handle(call);
      } catch (RuntimeException failure) {
        answer = CompletableFuture.failedFuture(failure);
      }
      boolean headRequest = head.method().equals(HttpMethod.HEAD);
      answer.whenComplete(
          (reply, failure) -> {
            if (failure != null || reply == null) {
              log.warn("an HTTP request failed, path={}", path, failure);
              reply(HttpReply.error(500, "Internal Server Error"));
            } else {
              reply(headRequest ? HttpReply.empty(reply.status()) : reply);
            }
          });
    }

    @Override
    public void aborted() {}
  }
}
