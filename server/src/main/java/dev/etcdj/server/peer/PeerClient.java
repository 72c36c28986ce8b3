package dev.etcdj.server.peer;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Makes HTTP/1.1 requests to peer URLs. Connections are kept for a short while and used again;
/// redirects are not followed. Any thread; callbacks come on event loops.
///
/// At most [#MAX_IDLE] idle connections are kept per authority. There is no bound on calls in
/// flight here: every caller has its own.
public final class PeerClient {
  static final int MAX_IDLE = 4;
  // Below the 5 s after which a peer closes an idle connection.
  static final long MAX_IDLE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Dialer dialer;
  private final Map<String, Deque<ClientConnection>> idle = new HashMap<>();

  PeerClient(Dialer dialer) {
    this.dialer = dialer;
  }

  /// A client on these event loops.
  ///
  /// @param dialTimeoutMillis bound on connecting (LIM-45)
  public PeerClient(dev.etcdj.server.http.EventLoops loops, int dialTimeoutMillis) {
    this(new Dialer(loops, dialTimeoutMillis));
  }

  /// An answer: whatever status came.
  public record Response(int status, HttpHeaders headers, byte[] body) {}

  /// Requests `path` below `base`.
  ///
  /// @param body empty for none
  /// @param contentType of the body, empty for none
  /// @param timeoutNanos from now to the end of the answer; 0 for none
  /// @param maxResponseBytes a longer answer fails the call
  /// @return the answer; fails with an I/O or timeout exception when there is none
  public CompletableFuture<Response> call(
      URI base,
      String method,
      String path,
      byte[] body,
      String contentType,
      long timeoutNanos,
      int maxResponseBytes) {
    return call(
        base,
        method,
        path,
        body,
        headers -> {
          if (!contentType.isEmpty()) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, contentType);
          }
        },
        timeoutNanos,
        maxResponseBytes);
  }

  /// As the shorter form, with headers set by the caller.
  public CompletableFuture<Response> call(
      URI base,
      String method,
      String path,
      byte[] body,
      Consumer<HttpHeaders> headers,
      long timeoutNanos,
      int maxResponseBytes) {
    Call call = new Call(base, method, path, body, headers, maxResponseBytes);
    ClientConnection used = takeIdle(base);
    if (used != null) {
      call.current = used;
      used.send(call.request(), maxResponseBytes, true)
          .whenComplete((response, failure) -> call.afterReuse(response, failure));
    } else {
      call.onFreshConnection();
    }
    if (timeoutNanos > 0) {
      call.limit(timeoutNanos);
    }
    return call.result;
  }

  private @Nullable ClientConnection takeIdle(URI base) {
    synchronized (idle) {
      Deque<ClientConnection> waiting = idle.get(base.getAuthority());
      while (waiting != null && !waiting.isEmpty()) {
        ClientConnection candidate = waiting.removeLast();
        if (candidate.isOpen()) {
          return candidate;
        }
      }
      return null;
    }
  }

  /// Takes a connection back after a call; false when there are enough.
  private boolean giveBack(URI base, ClientConnection connection) {
    synchronized (idle) {
      Deque<ClientConnection> waiting =
          idle.computeIfAbsent(base.getAuthority(), any -> new ArrayDeque<>());
      if (waiting.size() >= MAX_IDLE) {
        return false;
      }
      waiting.addLast(connection);
      return true;
    }
  }

  private void forget(URI base, ClientConnection connection) {
    synchronized (idle) {
      Deque<ClientConnection> waiting = idle.get(base.getAuthority());
      if (waiting != null) {
        waiting.remove(connection);
        if (waiting.isEmpty()) {
          idle.remove(base.getAuthority());
        }
      }
    }
  }

  /// One request on its way, possibly over two connections: one that was kept may turn out to
  /// have been closed meanwhile, and then the request goes out again. Peer requests bear that: each
  /// means the same when it is seen twice.
  private final class Call {
    final CompletableFuture<Response> result = new CompletableFuture<>();
    private final URI base;
    private final String method;
    private final String path;
    private final byte[] body;
    private final Consumer<HttpHeaders> headers;
    private final int maxResponseBytes;
    // Written by the thread that opens a connection, read when time is up.
    private volatile @Nullable ClientConnection current;

    Call(
        URI base,
        String method,
        String path,
        byte[] body,
        Consumer<HttpHeaders> headers,
        int maxResponseBytes) {
      this.base = base;
      this.method = method;
      this.path = path;
      this.body = body;
      this.headers = headers;
      this.maxResponseBytes = maxResponseBytes;
    }

    FullHttpRequest request() {
      DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), path, Unpooled.wrappedBuffer(body));
      request.headers().set(HttpHeaderNames.HOST, base.getAuthority());
      if (body.length > 0 || method.equals("POST")) {
        request.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
      }
      headers.accept(request.headers());
      return request;
    }

    void afterReuse(@Nullable Response response, @Nullable Throwable failure) {
      if (failure instanceof ClientConnection.Stale && !result.isDone()) {
        onFreshConnection();
      } else {
        finish(response, failure);
      }
    }

    void onFreshConnection() {
      EventLoop loop = dialer.nextLoop();
      ClientConnection fresh =
          new ClientConnection(
              connection -> giveBack(base, connection), connection -> forget(base, connection));
      current = fresh;
      dialer
          .dial(base, loop, fresh::setUp)
          .thenCompose(
              channel ->
                  result.isDone() ? abandon(fresh) : fresh.send(request(), maxResponseBytes, false))
          .whenComplete(this::finish);
    }

    /// Time was up before the connection stood.
    private CompletableFuture<Response> abandon(ClientConnection fresh) {
      fresh.close();
      return CompletableFuture.failedFuture(new TimeoutException("timed out while connecting"));
    }

    private void finish(@Nullable Response response, @Nullable Throwable failure) {
      if (response != null) {
        result.complete(response);
      } else {
        Throwable cause =
            failure instanceof java.util.concurrent.CompletionException
                    && failure.getCause() != null
                ? failure.getCause()
                : failure;
        result.completeExceptionally(
            cause != null ? cause : new IllegalStateException("neither answer nor failure"));
      }
    }

    void limit(long timeoutNanos) {
      var timer =
          dialer
              .nextLoop()
              .schedule(
                  () -> {
                    if (result.completeExceptionally(
                        new TimeoutException(method + " " + base + path + " timed out"))) {
                      ClientConnection open = current;
                      if (open != null) {
                        open.close();
                      }
                    }
                  },
                  timeoutNanos,
                  TimeUnit.NANOSECONDS);
      result.whenComplete((response, failure) -> timer.cancel(false));
    }
  }
}
