package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import java.net.URI;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One other member: the streams it has opened here, the streams opened there, and what is known
/// of its health. A remote that is no member (yet) has neither; it is only answered by pipeline.
final class RemotePeer {
  private static final Logger log = LoggerFactory.getLogger(RemotePeer.class);

  private final long id;
  private final PeerUrls urls;
  private final PeerContext context;
  private final PeerMetrics.ForPeer metrics;
  private final Pipeline pipeline;

  // Set by event loops when the peer dials, read by the raft loop for each message.
  private volatile @Nullable OutgoingStream msgapp;
  private volatile @Nullable OutgoingStream message;

  // Guarded by this.
  private final Map<StreamKind, StreamReader> readers = new EnumMap<>(StreamKind.class);
  private final Map<StreamKind, String> lastDialFailure = new EnumMap<>(StreamKind.class);
  private @Nullable Prober prober;
  private int readersUp;
  private boolean stopped;
  // Written under the lock, read by activeSince() of any thread.
  private volatile long activeSince;

  // Raft loop only.
  private Message.@Nullable AppendResponse lastResponse;
  private boolean appendsQueued;
  private boolean messagesQueued;
  private boolean dropped;

  RemotePeer(long id, List<String> urls, PeerContext context) {
    this.id = id;
    this.urls = new PeerUrls(urls);
    this.context = context;
    this.metrics = context.metrics().peer(id);
    this.pipeline = new Pipeline(this, context);
  }

  long id() {
    return id;
  }

  PeerUrls urls() {
    return urls;
  }

  PeerMetrics.ForPeer metrics() {
    return metrics;
  }

  /// Makes a member of a remote: begins to dial and probe it. Once more does nothing.
  synchronized void join() {
    if (stopped || !readers.isEmpty()) {
      return;
    }
    for (StreamKind kind : StreamKind.values()) {
      StreamReader reader = new StreamReader(kind, this, context);
      readers.put(kind, reader);
      reader.start();
    }
    prober = new Prober(this, context);
    prober.start();
    metrics.known(true);
  }

  synchronized boolean isMember() {
    return !readers.isEmpty() && !stopped;
  }

  /// Ends everything with this peer.
  void stop() {
    synchronized (this) {
      stopped = true;
      readers.values().forEach(StreamReader::stop);
      if (prober != null) {
        prober.stop();
        metrics.known(false);
      }
    }
    pipeline.stop();
    detach(msgapp);
    detach(message);
  }

  private static void detach(@Nullable OutgoingStream stream) {
    if (stream != null) {
      stream.close("the peer was removed");
    }
  }

  /// Notes an append response of the batch in hand; only the last one is sent (RAFT-117).
  void noteResponse(Message.AppendResponse response) {
    lastResponse = response;
  }

  /// Queues a message on the channel that carries it (peer protocol §3.4). Raft loop only;
  /// [#flush] ends the batch.
  void queue(Message.Remote outgoing) {
    if (outgoing instanceof Message.AppendResponse && !outgoing.equals(lastResponse)) {
      return;
    }
    OutgoingStream appends = msgapp;
    OutgoingStream messages = message;
    boolean taken;
    boolean isAppend =
        outgoing instanceof Message.Append || outgoing instanceof Message.CommitIndex;
    if (isAppend && appends != null && appends.isOpen()) {
      taken = appends.offer(outgoing);
      appendsQueued = true;
    } else if (messages != null && messages.isOpen()) {
      taken = messages.offer(outgoing);
      messagesQueued = true;
    } else {
      taken = pipeline.offer(outgoing);
    }
    if (!taken) {
      metrics.sendFailed();
      dropped = true;
    }
  }

  /// Sends what the batch has queued, and reports once if any of it had to be dropped.
  void flush() {
    OutgoingStream appends = msgapp;
    if (appendsQueued && appends != null) {
      appends.flush();
    }
    OutgoingStream messages = message;
    if (messagesQueued && messages != null) {
      messages.flush();
    }
    if (dropped) {
      context.events().unreachable(id);
    }
    appendsQueued = false;
    messagesQueued = false;
    dropped = false;
    lastResponse = null;
  }

  /// Takes a stream that the peer has just opened, in place of an older one. Event loop.
  void attach(OutgoingStream stream) {
    OutgoingStream old;
    synchronized (this) {
      old = current(stream.kind());
      setCurrent(stream.kind(), stream);
    }
    if (old != null) {
      old.close("replaced by a newer connection");
    }
    log.atInfo()
        .addKeyValue("stream-writer-type", stream.kind().path())
        .addKeyValue("remote-peer-id", Long.toHexString(id))
        .log("established TCP streaming connection with remote peer");
  }

  /// A stream that the peer had opened has ended. Event loop.
  void detached(OutgoingStream stream, String reason) {
    boolean lost;
    synchronized (this) {
      lost = current(stream.kind()) == stream;
      if (lost) {
        setCurrent(stream.kind(), null);
      }
      lost &= !stopped;
    }
    if (lost) {
      metrics.sendFailed();
      context.events().unreachable(id);
      log.atWarn()
          .addKeyValue("stream-writer-type", stream.kind().path())
          .addKeyValue("remote-peer-id", Long.toHexString(id))
          .addKeyValue("error", reason)
          .log("lost TCP streaming connection with remote peer");
    }
  }

  /// How many streams the peer has open for this member to write to.
  int streamsOpen() {
    return (msgapp != null ? 1 : 0) + (message != null ? 1 : 0);
  }

  /// The stream of appends that the peer has open, or null.
  @Nullable OutgoingStream appendStream() {
    return msgapp;
  }

  private @Nullable OutgoingStream current(StreamKind kind) {
    return switch (kind) {
      case MSGAPP -> msgapp;
      case MESSAGE -> message;
    };
  }

  private void setCurrent(StreamKind kind, @Nullable OutgoingStream stream) {
    switch (kind) {
      case MSGAPP -> msgapp = stream;
      case MESSAGE -> message = stream;
    }
  }

  /// Nano-clock reading since when a stream has been read from the peer without a break, or 0.
  long activeSince() {
    return activeSince;
  }

  synchronized void readerUp(StreamKind kind) {
    readersUp++;
    lastDialFailure.remove(kind);
    if (readersUp == 1) {
      long now = context.nanoClock().getAsLong();
      activeSince = now == 0 ? 1 : now;
      metrics.active(true);
    }
    log.atInfo()
        .addKeyValue("stream-reader-type", kind.path())
        .addKeyValue("remote-peer-id", Long.toHexString(id))
        .log("established TCP streaming connection with remote peer");
  }

  synchronized void readerDown(StreamKind kind, String reason) {
    readersUp--;
    if (readersUp == 0) {
      activeSince = 0;
      metrics.active(false);
      metrics.disconnected();
    }
    if (!stopped) {
      metrics.receiveFailed();
      log.atWarn()
          .addKeyValue("stream-reader-type", kind.path())
          .addKeyValue("remote-peer-id", Long.toHexString(id))
          .addKeyValue("error", reason)
          .log("lost TCP streaming connection with remote peer");
    }
  }

  /// A dial came to nothing. Said once per reason, because it is tried ten times a second.
  synchronized void dialFailed(StreamKind kind, String reason) {
    if (!stopped && !reason.equals(lastDialFailure.put(kind, reason))) {
      log.atWarn()
          .addKeyValue("stream-reader-type", kind.path())
          .addKeyValue("remote-peer-id", Long.toHexString(id))
          .addKeyValue("error", reason)
          .log("failed to open a stream of the remote peer");
    }
  }

  /// A request to `url` failed.
  void failed(URI url) {
    urls.failed(url);
    metrics.sendFailed();
    context.events().unreachable(id);
  }

  /// The peer says that this member is no longer one.
  void removedByPeer() {
    log.atWarn()
        .addKeyValue("remote-peer-id", Long.toHexString(id))
        .log("the member has been permanently removed from the cluster");
    context.events().removedFromCluster();
  }
}
