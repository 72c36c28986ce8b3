package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import dev.etcdj.server.http.HttpReply;
import dev.etcdj.server.http.Route;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.http.HttpRequest;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes snapshots (`POST /raft/snapshot`): an 8-byte length, a MsgSnap, then the contents to the
/// end. Each transfer has a virtual thread; at most [#MAX_IN_FLIGHT] at a time.
final class SnapshotReceiver {
  static final int MAX_IN_FLIGHT = 16;

  /// Longest message in front of the contents (LIM-49).
  static final long MAX_ENVELOPE_BYTES = 64L << 20;

  private static final Logger log = LoggerFactory.getLogger(SnapshotReceiver.class);

  private final PeerContext context;
  private final RaftRoutes routes;
  private final AtomicInteger inFlight = new AtomicInteger();

  SnapshotReceiver(PeerContext context, RaftRoutes routes) {
    this.context = context;
    this.routes = routes;
  }

  /// Begins to take a snapshot whose request head has passed the checks.
  Route.Body open(Route.Exchange exchange, HttpRequest head) {
    if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
      inFlight.decrementAndGet();
      return exchange.discardThen(HttpReply.error(503, "too many snapshots at a time"));
    }
    BodyPipe pipe = new BodyPipe(exchange);
    long from = RaftRoutes.senderOf(head.headers());
    Thread.ofVirtual()
        .name("peer-snapshot-receive")
        .start(() -> exchange.reply(routes.named(receive(from, pipe))));
    return pipe;
  }

  private HttpReply receive(long from, BodyPipe pipe) {
    PeerMetrics.ForPeer metrics = context.metrics().peer(from);
    long began = context.nanoClock().getAsLong();
    metrics.snapshotReceiving(1);
    HttpReply reply = HttpReply.error(500, "failed to save KV snapshot");
    try (pipe) {
      reply = receive(pipe);
    } finally {
      inFlight.decrementAndGet();
      metrics.snapshotReceiving(-1);
      metrics.snapshotReceived(reply.status() != 204, context.nanoClock().getAsLong() - began);
    }
    return reply;
  }

  private HttpReply receive(BodyPipe pipe) {
    Message.Remote message;
    try {
      message = readEnvelope(pipe);
    } catch (IOException | CorruptedFrameException failure) {
      return HttpReply.error(400, "failed to decode raft message (" + failure.getMessage() + ")")
          .closing();
    }
    if (!(message instanceof Message.InstallSnapshot snapshot)) {
      return HttpReply.error(400, "wrong raft message type").closing();
    }
    HttpReply refusal = routes.refusal(snapshot);
    if (refusal != null) {
      return refusal;
    }
    long index = snapshot.snapshot().index();
    try {
      context.events().receiveSnapshot(index, pipe);
      pipe.transferTo(java.io.OutputStream.nullOutputStream());
    } catch (IOException | RuntimeException failure) {
      log.atError()
          .addKeyValue("incoming-snapshot-index", index)
          .setCause(failure)
          .log("failed to save incoming database snapshot");
      return HttpReply.error(500, "failed to save KV snapshot (" + failure.getMessage() + ")")
          .closing();
    }
    if (!context.events().received(snapshot)) {
      return HttpReply.error(500, "failed to process raft message (the member is too busy)");
    }
    log.atInfo()
        .addKeyValue("remote-peer-id", Long.toHexString(snapshot.from()))
        .addKeyValue("incoming-snapshot-index", index)
        .log("received and saved database snapshot");
    return HttpReply.empty(204);
  }

  private static Message.Remote readEnvelope(BodyPipe pipe) throws IOException {
    DataInputStream in = new DataInputStream(pipe);
    long length = in.readLong();
    if (length < 0 || length > MAX_ENVELOPE_BYTES) {
      throw new IOException(
          "message of " + Long.toUnsignedString(length) + " bytes, at most " + MAX_ENVELOPE_BYTES);
    }
    byte[] encoded = in.readNBytes((int) length);
    if (encoded.length < length) {
      throw new EOFException("message ends early");
    }
    return RaftCodec.read(Unpooled.wrappedBuffer(encoded), encoded.length);
  }
}
