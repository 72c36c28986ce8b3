package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the applied state to a peer in place of raft's snapshot message, on a virtual thread per
/// transfer, and reports to raft how it ended. At most [#MAX_IN_FLIGHT] at a time (LIM-50); one
/// more is dropped and reported as failed.
final class SnapshotSender {
  static final int MAX_IN_FLIGHT = 16;
  private static final Logger log = LoggerFactory.getLogger(SnapshotSender.class);
  // The receiver makes everything durable before it answers.
  private static final long ANSWER_TIMEOUT_SECONDS = 600;

  private final PeerContext context;
  private final AtomicInteger inFlight = new AtomicInteger();

  SnapshotSender(PeerContext context) {
    this.context = context;
  }

  /// Begins a transfer. Never blocks.
  void send(RemotePeer peer, Message.InstallSnapshot message) {
    if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
      inFlight.decrementAndGet();
      peer.metrics().sendFailed();
      context.events().unreachable(peer.id());
      context.events().snapshotSent(peer.id(), true);
      return;
    }
    context
        .events()
        .openSnapshot()
        .whenComplete(
            (source, failure) ->
                Thread.ofVirtual()
                    .name("peer-snapshot-send")
                    .start(() -> run(peer, message, source, failure)));
  }

  private void run(
      RemotePeer peer,
      Message.InstallSnapshot message,
      SnapshotSource source,
      Throwable openFailure) {
    long began = context.nanoClock().getAsLong();
    peer.metrics().snapshotSending(1);
    URI url = peer.urls().current();
    boolean failed = true;
    try {
      if (openFailure != null) {
        throw new IOException("the snapshot could not be opened", openFailure);
      }
      failed = !transfer(peer, url, message, source);
    } catch (IOException | ExecutionException | TimeoutException | RuntimeException failure) {
      log.atWarn()
          .addKeyValue("remote-peer-id", Long.toHexString(peer.id()))
          .setCause(failure)
          .log("failed to send database snapshot");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      if (source != null) {
        source.close();
      }
      inFlight.decrementAndGet();
      peer.metrics().snapshotSending(-1);
      peer.metrics().snapshotSent(failed, context.nanoClock().getAsLong() - began);
      if (failed) {
        peer.failed(url);
      }
      context.events().snapshotSent(peer.id(), failed);
    }
  }

  private boolean transfer(
      RemotePeer peer, URI url, Message.InstallSnapshot message, SnapshotSource source)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    ByteBuf envelope = Unpooled.buffer(1024);
    MessageEncoder.writePrefixed(
        new Message.InstallSnapshot(
            message.from(), message.to(), message.term(), source.metadata()),
        envelope);
    DefaultHttpRequest head =
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/raft/snapshot");
    head.headers().set(HttpHeaderNames.HOST, url.getAuthority());
    head.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream");
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, envelope.readableBytes() + source.bytes());
    head.headers().set(HttpHeaderNames.CONNECTION, "close");
    context.identity().describe(head.headers());

    ClientConnection connection = new ClientConnection(any -> false, any -> {});
    ChannelOutputStream.Gate gate = new ChannelOutputStream.Gate();
    Channel channel =
        context
            .dialer()
            .dial(
                url,
                context.dialer().nextLoop(),
                opened -> {
                  connection.setUp(opened);
                  opened.pipeline().addLast(gate);
                })
            .get();
    try {
      CompletableFuture<PeerClient.Response> answer = connection.send(head, 64 << 10, false);
      writeBody(channel, gate, envelope, source, answer);
      int status = answer.get(ANSWER_TIMEOUT_SECONDS, TimeUnit.SECONDS).status();
      if (status == 403) {
        peer.removedByPeer();
      }
      log.atInfo()
          .addKeyValue("snapshot-index", source.metadata().index())
          .addKeyValue("remote-peer-id", Long.toHexString(peer.id()))
          .addKeyValue("bytes", source.bytes())
          .addKeyValue("status", status)
          .log(status == 204 ? "sent database snapshot" : "database snapshot was refused");
      return status == 204;
    } finally {
      channel.close();
    }
  }

  private void writeBody(
      Channel channel,
      ChannelOutputStream.Gate gate,
      ByteBuf envelope,
      SnapshotSource source,
      CompletableFuture<PeerClient.Response> answer)
      throws IOException {
    channel.write(new DefaultHttpContent(envelope));
    try (ChannelOutputStream out = new ChannelOutputStream(channel, gate)) {
      source.writeTo(out);
      out.flush();
      if (out.written() != source.bytes()) {
        throw new IOException(
            "snapshot holds " + out.written() + " bytes instead of " + source.bytes());
      }
      channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    } catch (IOException broken) {
      // The peer may have answered before it hung up, and then the answer says why.
      if (!answer.isDone() || answer.isCompletedExceptionally()) {
        throw broken;
      }
    }
  }
}
