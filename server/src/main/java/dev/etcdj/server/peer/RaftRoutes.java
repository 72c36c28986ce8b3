package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import dev.etcdj.server.http.HttpCall;
import dev.etcdj.server.http.HttpReply;
import dev.etcdj.server.http.Route;
import dev.etcdj.server.http.Router;
import dev.etcdj.server.membership.Membership;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The raft paths of the peer port, with the receiver's checks in the order of the peer protocol
/// §3.3: method, version, cluster id, sender, then the path's own.
final class RaftRoutes {
  private static final String STREAMS = "/raft/stream/";

  private final PeerContext context;
  private final Membership membership;
  private final HttpPeerTransport transport;
  private final SnapshotReceiver snapshots;

  RaftRoutes(HttpPeerTransport transport, Membership membership) {
    this.context = transport.context();
    this.transport = transport;
    this.membership = membership;
    this.snapshots = new SnapshotReceiver(context, this);
  }

  void addTo(Router router) {
    router.add("POST", "/raft", new Route.Streamed(this::openMessage));
    router.add("POST", "/raft/snapshot", new Route.Streamed(this::openSnapshot));
    router.add("GET", STREAMS, new Route.Streamed(this::openStream));
    router.add("*", "/raft/probing", new Route.Buffered(64 << 10, this::probe));
  }

  /// `reply` with the cluster's id, as every answer to a raft request carries it.
  HttpReply named(HttpReply reply) {
    return reply.with(PeerIdentity.CLUSTER_ID, context.identity().clusterHex());
  }

  /// The sender's id as it says, or 0.
  static long senderOf(HttpHeaders headers) {
    return parseId(headers.get(PeerIdentity.SERVER_FROM, ""));
  }

  private static long parseId(String hex) {
    try {
      return Long.parseUnsignedLong(hex, 16);
    } catch (NumberFormatException malformed) {
      return 0;
    }
  }

  private void rememberSender(long from, HttpHeaders headers) {
    String urls = headers.get(PeerIdentity.PEER_URLS, "");
    if (from == 0 || urls.isEmpty() || membership.isRemoved(from)) {
      return;
    }
    try {
      transport.addRemote(from, List.of(urls.split(",")));
    } catch (IllegalArgumentException malformed) {
      // A sender that cannot say where it is cannot be answered, which is all this is for.
      return;
    }
  }

  private @Nullable HttpReply checkPost(HttpRequest head) {
    String refusal = context.identity().refusal(head.headers());
    if (!refusal.isEmpty()) {
      return named(HttpReply.error(412, refusal));
    }
    rememberSender(senderOf(head.headers()), head.headers());
    return null;
  }

  private Route.Body openMessage(Route.Exchange exchange, HttpRequest head) {
    HttpReply refusal = checkPost(head);
    return refusal != null
        ? exchange.discardThen(refusal)
        : exchange.collectThen(head, (int) MessageDecoder.MAX_MESSAGE_BYTES, this::message);
  }

  private Route.Body openSnapshot(Route.Exchange exchange, HttpRequest head) {
    HttpReply refusal = checkPost(head);
    return refusal != null ? exchange.discardThen(refusal) : snapshots.open(exchange, head);
  }

  private CompletableFuture<HttpReply> message(HttpCall call) {
    return CompletableFuture.completedFuture(named(take(call)));
  }

  private HttpReply take(HttpCall call) {
    Message.Remote message;
    try {
      message = RaftCodec.read(Unpooled.wrappedBuffer(call.body()), call.body().length);
    } catch (CorruptedFrameException malformed) {
      return HttpReply.error(400, "error unmarshalling raft message");
    }
    HttpReply refusal = refusal(message);
    if (refusal != null) {
      return refusal;
    }
    context.metrics().peer(message.from()).receivedBytes(call.body().length);
    if (!context.events().received(message)) {
      return HttpReply.error(500, "error processing raft message").closing();
    }
    return HttpReply.empty(204);
  }

  /// Why a message is refused whatever it says, or null (§3.3, messages).
  @Nullable HttpReply refusal(Message.Remote message) {
    if (membership.isRemoved(message.from())) {
      return forbidden("cannot process message from removed member");
    }
    return message.to() != context.identity().self()
        ? forbidden("cannot process message to mismatch member")
        : null;
  }

  private static HttpReply forbidden(String text) {
    return HttpReply.json(403, "{\"message\":\"" + text + "\"}");
  }

  private Route.Body openStream(Route.Exchange exchange, HttpRequest head) {
    String refusal = context.identity().refusal(head.headers());
    if (!refusal.isEmpty()) {
      return refuse(exchange, 412, refusal);
    }
    String path = head.uri().substring(STREAMS.length());
    int slash = path.indexOf('/');
    StreamKind kind = slash < 0 ? null : kindOf(path.substring(0, slash));
    if (kind == null) {
      return refuse(exchange, 404, "invalid path");
    }
    long from = parseId(path.substring(slash + 1));
    if (from == 0) {
      return refuse(exchange, 404, "invalid from");
    }
    if (membership.isRemoved(from)) {
      return refuse(exchange, 410, "removed member");
    }
    RemotePeer peer = transport.find(from);
    if (peer == null || !peer.isMember()) {
      rememberSender(from, head.headers());
      return refuse(exchange, 404, "error sender not found");
    }
    if (!Long.toHexString(context.identity().self())
        .equals(head.headers().get(PeerIdentity.RAFT_TO))) {
      return refuse(exchange, 412, "to field mismatch");
    }
    return attach(exchange, kind, peer);
  }

  private static @Nullable StreamKind kindOf(String path) {
    for (StreamKind kind : StreamKind.values()) {
      if (kind.path().equals(path)) {
        return kind;
      }
    }
    return null;
  }

  private Route.Body refuse(Route.Exchange exchange, int status, String text) {
    return exchange.discardThen(
        named(HttpReply.error(status, text))
            .with(PeerIdentity.SERVER_VERSION, context.identity().version()));
  }

  /// Turns the connection into a stream: the answer's head, then an endless body.
  private Route.Body attach(Route.Exchange exchange, StreamKind kind, RemotePeer peer) {
    ChannelHandlerContext ctx = exchange.takeOver();
    DefaultHttpResponse response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    response.headers().set(PeerIdentity.SERVER_VERSION, context.identity().version());
    response.headers().set(PeerIdentity.CLUSTER_ID, context.identity().clusterHex());
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    ctx.writeAndFlush(response);
    OutgoingStream stream =
        new OutgoingStream(kind, peer.metrics(), context.nanoClock(), peer::detached);
    ctx.pipeline().replace(ctx.handler(), "raft-stream", stream);
    peer.attach(stream);
    return new Ignored();
  }

  /// Stands for the empty body of a request whose connection has become a stream.
  private static final class Ignored implements Route.Body {
    @Override
    public void content(HttpContent piece) {}

    @Override
    public void aborted() {}
  }

  private CompletableFuture<HttpReply> probe(HttpCall call) {
    String now = context.wallClock().instant().toString();
    return CompletableFuture.completedFuture(
        HttpReply.of(
            200,
            "text/plain; charset=utf-8",
            ("{\"OK\":true,\"Now\":\"" + now + "\"}\n").getBytes(StandardCharsets.UTF_8)));
  }
}
