package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Sends single messages by `POST /raft`, for a peer that has no stream open here. At most
/// [#MAX_IN_FLIGHT] requests at a time, [#MAX_QUEUED] messages behind them (LIM-47).
final class Pipeline {
  static final int MAX_IN_FLIGHT = 4;
  static final int MAX_QUEUED = 64;
  // A peer that takes the connection and never answers must not hold a place for ever.
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MAX_ANSWER_BYTES = 64 << 10;

  private final RemotePeer peer;
  private final PeerContext context;
  private final Deque<Message.Remote> queue = new ArrayDeque<>();
  private int inFlight;
  private boolean stopped;

  Pipeline(RemotePeer peer, PeerContext context) {
    this.peer = peer;
    this.context = context;
  }

  /// Sends or queues a message; false when the queue is full. Never blocks.
  boolean offer(Message.Remote message) {
    synchronized (this) {
      if (stopped) {
        return false;
      }
      if (inFlight >= MAX_IN_FLIGHT) {
        return queue.size() < MAX_QUEUED && queue.add(message);
      }
      inFlight++;
    }
    post(message);
    return true;
  }

  synchronized void stop() {
    stopped = true;
    queue.clear();
  }

  private void post(Message.Remote message) {
    ByteBuf encoded = Unpooled.buffer(RaftCodec.roughSize(message));
    RaftCodec.write(message, encoded);
    byte[] body = new byte[encoded.readableBytes()];
    encoded.readBytes(body);
    URI url = peer.urls().current();
    peer.metrics().sentBytes(body.length);
    context
        .client()
        .call(
            url,
            "POST",
            "/raft",
            body,
            headers -> {
              headers.set(HttpHeaderNames.CONTENT_TYPE, "application/protobuf");
              context.identity().describe(headers);
            },
            TIMEOUT_NANOS,
            MAX_ANSWER_BYTES)
        .whenComplete((response, failure) -> done(url, response));
  }

  private void done(URI url, PeerClient.@Nullable Response response) {
    if (response != null && response.status() == 403) {
      peer.removedByPeer();
    } else if (response == null || response.status() != 204) {
      peer.failed(url);
    }
    Message.Remote next;
    synchronized (this) {
      next = queue.poll();
      if (next == null) {
        inFlight--;
      }
    }
    if (next != null) {
      post(next);
    }
  }
}
