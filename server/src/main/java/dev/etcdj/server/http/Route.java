package dev.etcdj.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import java.util.concurrent.CompletableFuture;

/// What serves a path. Called on event loops: nothing here blocks.
public sealed interface Route {
  /// Serves requests whose bodies are small enough to be held.
  record Buffered(int maxBodyBytes, Handler handler) implements Route {}

  /// Serves requests piece by piece as they arrive.
  record Streamed(Opener opener) implements Route {}

  /// Answers one request. A failed future is answered with status 500.
  @FunctionalInterface
  interface Handler {
    CompletableFuture<HttpReply> handle(HttpCall call);
  }

  /// Begins a streamed request.
  @FunctionalInterface
  interface Opener {
    Body open(Exchange exchange, HttpRequest head);
  }

  /// Takes the body of a streamed request. The first piece comes by itself; after each one the
  /// body asks for the next with [Exchange#read]; that is its flow control.
  interface Body {
    /// One piece, released by the caller on return.
    void content(HttpContent piece);

    /// The connection went away before the answer.
    void aborted();
  }

  /// The connection a streamed request came in on, until it is answered.
  interface Exchange {
    /// Asks for the next piece of the body. Any thread.
    void read();

    /// Answers and goes on to the next request. What is left of the body makes the connection
    /// close instead. Any thread.
    void reply(HttpReply reply);

    /// A body that is read to its end, within bounds, and then answered so: a client that is
    /// still sending would miss an answer given at once. Returned from [Opener#open].
    Body discardThen(HttpReply reply);

    /// A body that is collected up to `maxBytes` and then served like a buffered request.
    /// Returned from [Opener#open].
    Body collectThen(HttpRequest head, int maxBytes, Handler handler);

    /// The channel, for a request that turns the connection into something else; then neither
    /// [#read] nor [#reply] may be called. Event loop only.
    ChannelHandlerContext takeOver();
  }
}
