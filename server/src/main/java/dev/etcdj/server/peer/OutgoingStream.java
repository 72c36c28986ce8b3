package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One stream that a peer has opened to be written to. The raft loop queues messages; the event
/// loop encodes everything queued by then into few large buffers with one flush.
///
/// Bounded three ways: [#MAX_QUEUED] messages and [#MAX_QUEUED_BYTES] wait here, then
/// [#offer] refuses; what has been encoded is bounded by the channel's high water mark, above
/// which nothing more is taken from the queue; and a write that makes no progress for
/// [#WRITE_TIMEOUT_NANOS] ends the stream.
final class OutgoingStream extends ChannelInboundHandlerAdapter {
  static final int MAX_QUEUED = 4096;
  static final long MAX_QUEUED_BYTES = 64L << 20;
  static final int GROUP_BYTES = 256 << 10;
  static final int HIGH_WATER_BYTES = 2 << 20;
  static final long WRITE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
  static final long HEARTBEAT_NANOS = WRITE_TIMEOUT_NANOS / 3;

  /// Learns that the stream has ended.
  interface Listener {
    /// Event loop; once.
    void closed(OutgoingStream stream, String reason);
  }

  private final StreamKind kind;
  private final StreamEncoder encoder;
  private final PeerMetrics.ForPeer metrics;
  private final LongSupplier nanoClock;
  private final Listener listener;

  private final Queue<Message.Remote> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean drainAsked = new AtomicBoolean();
  // Set by the event loop, read by the raft loop: the end of the stream.
  private volatile boolean closed;

  // Event loop only.
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Future<?> ticking;
  private long groupsWritten;
  private long groupsDone;
  private long lastProgress;
  private boolean wroteSinceTick;
  private String reason = "closed by the peer";

  OutgoingStream(
      StreamKind kind, PeerMetrics.ForPeer metrics, LongSupplier nanoClock, Listener listener) {
    this.kind = kind;
    this.encoder = kind.encoder();
    this.metrics = metrics;
    this.nanoClock = nanoClock;
    this.listener = listener;
  }

  StreamKind kind() {
    return kind;
  }

  boolean isOpen() {
    return !closed;
  }

  /// About how many bytes wait to be encoded.
  long queuedBytes() {
    return queuedBytes.get();
  }

  /// Queues a message; [#flush] sends it. Raft loop only.
  ///
  /// @return false when it does not fit or the stream has ended: the message is dropped
  boolean offer(Message.Remote message) {
    int size = RaftCodec.roughSize(message);
    if (closed
        || queued.get() >= MAX_QUEUED
        || (queuedBytes.get() + size > MAX_QUEUED_BYTES && queued.get() > 0)) {
      return false;
    }
    queued.incrementAndGet();
    queuedBytes.addAndGet(size);
    queue.add(message);
    return true;
  }

  /// Sends what is queued. One hand-over to the event loop however many messages there are.
  void flush() {
    ChannelHandlerContext context = ctx;
    if (context != null && drainAsked.compareAndSet(false, true)) {
      context.executor().execute(this::drain);
    }
  }

  /// Ends the stream. Any thread.
  void close(String why) {
    ChannelHandlerContext context = ctx;
    if (context != null) {
      context
          .executor()
          .execute(
              () -> {
                reason = why;
                context.close();
              });
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    lastProgress = nanoClock.getAsLong();
    context.channel().config().setWriteBufferHighWaterMark(HIGH_WATER_BYTES);
    context.channel().config().setAutoRead(true);
    ticking =
        context
            .executor()
            .scheduleAtFixedRate(
                this::tick, HEARTBEAT_NANOS, HEARTBEAT_NANOS, TimeUnit.NANOSECONDS);
  }

  private void drain() {
    drainAsked.set(false);
    ChannelHandlerContext context = ctx;
    if (context == null || closed) {
      return;
    }
    boolean wrote = false;
    while (context.channel().isWritable()) {
      ByteBuf group = nextGroup(context);
      if (group == null) {
        break;
      }
      write(context, group);
      wrote = true;
    }
    if (wrote) {
      context.flush();
    }
  }

  private @Nullable ByteBuf nextGroup(ChannelHandlerContext context) {
    Message.Remote message = queue.poll();
    if (message == null) {
      return null;
    }
    long waiting = queuedBytes.get();
    ByteBuf group = context.alloc().buffer((int) Math.min(Math.max(waiting, 256), GROUP_BYTES));
    int taken = 0;
    long takenBytes = 0;
    while (message != null) {
      encoder.write(message, group);
      taken++;
      takenBytes += RaftCodec.roughSize(message);
      message = group.readableBytes() < GROUP_BYTES ? queue.poll() : null;
    }
    queued.addAndGet(-taken);
    queuedBytes.addAndGet(-takenBytes);
    return group;
  }

  private void write(ChannelHandlerContext context, ByteBuf group) {
    if (groupsWritten == groupsDone) {
      lastProgress = nanoClock.getAsLong();
    }
    groupsWritten++;
    wroteSinceTick = true;
    metrics.sentBytes(group.readableBytes());
    context
        .write(new DefaultHttpContent(group))
        .addListener(
            done -> {
              groupsDone++;
              lastProgress = nanoClock.getAsLong();
            });
  }

  private void tick() {
    ChannelHandlerContext context = ctx;
    if (context == null || closed) {
      return;
    }
    if (groupsDone < groupsWritten) {
      if (nanoClock.getAsLong() - lastProgress > WRITE_TIMEOUT_NANOS) {
        reason = "write timed out";
        context.close();
      }
    } else if (!wroteSinceTick) {
      ByteBuf heartbeat = context.alloc().buffer(32);
      encoder.heartbeat(heartbeat);
      write(context, heartbeat);
      context.flush();
    }
    wroteSinceTick = false;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      drain();
    }
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    // Nothing is expected from the reader of a stream; reading only shows when it goes away.
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    reason = String.valueOf(cause.getMessage());
    context.close();
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    if (ticking != null) {
      ticking.cancel(false);
    }
    queue.clear();
    listener.closed(this, reason);
  }
}
