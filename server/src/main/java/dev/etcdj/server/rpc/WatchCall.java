package dev.etcdj.server.rpc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.watch.WatchMessage;
import dev.etcdj.mvcc.watch.WatchSpec;
import dev.etcdj.mvcc.watch.WatchStream;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.http.MessageBuffers;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// One `Watch` stream: takes messages from its [WatchStream] only while the client has room, so a
/// client that does not read holds nothing here. Requests are taken one by one, and not while
/// answers wait. Lives on its [CallLoop].
final class WatchCall extends ServerCall.Listener<Incoming<WatchRequest>>
    implements LeaderWatch.Stream, Runnable {
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  /// What may wait here for a client that does not read, beside one message.
  private static final int QUEUED_BYTES = 8 << 10;

  private final Core core;
  private final PackedMessages.Meter meter;
  private final ServerCall<Incoming<WatchRequest>, WireMessage> call;
  private final LeaderWatch leaderWatch;
  private final CallLoop loop = CallLoop.current();
  private final WatchStream stream;
  // Several wake-ups before the loop gets to pump are one.
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Runnable catchUp = this::catchUp;
  private final boolean packs;
  private boolean catchUpQueued;

  /// A message that had no place beside those before it.
  private @Nullable WireMessage next;

  private boolean headersSent;
  private boolean wantsRequest;
  private boolean closed;

  WatchCall(
      Core core,
      PackedMessages.Meter meter,
      ServerCall<Incoming<WatchRequest>, WireMessage> call,
      Metadata metadata,
      LeaderWatch leaderWatch) {
    this.core = core;
    this.meter = meter;
    this.call = call;
    this.leaderWatch = leaderWatch;
    this.stream = core.watches().openStream(this::wake);
    this.packs = MessageBuffers.serve(call);
    call.setOnReadyThreshold(QUEUED_BYTES);
    if (Gate.needsLeader(metadata)) {
      leaderWatch.add(this);
    }
    call.request(1);
  }

  /// The hub has something, or the client has room. Any thread.
  private void wake() {
    if (woken.compareAndSet(false, true)) {
      loop.enqueue(this);
    }
  }

  @Override
  public void run() {
    woken.set(false);
    if (stream.isBehind()) {
      queueCatchUp();
    } else {
      pump();
    }
  }

  private void queueCatchUp() {
    if (!catchUpQueued) {
      catchUpQueued = true;
      loop.enqueuePatient(catchUp);
    }
  }

  private void catchUp() {
    catchUpQueued = false;
    pump();
  }

  @Override
  public void onMessage(Incoming<WatchRequest> message) {
    WatchRequest request = message.message();
    if (request == null) {
      close(Status.INTERNAL.withDescription("error unmarshalling request: " + message.error()));
      return;
    }
    switch (request.getRequestUnionCase()) {
      case CREATE_REQUEST -> stream.create(spec(request.getCreateRequest()));
      case CANCEL_REQUEST -> stream.cancel(request.getCancelRequest().getWatchId());
      case PROGRESS_REQUEST -> stream.requestProgress();
      // WATCH-1
      case REQUESTUNION_NOT_SET -> {}
    }
    wantsRequest = true;
    pump();
  }

  /// An empty key stands for the least key (WATCH-10). Unknown filters are ignored (WATCH-55).
  private static WatchSpec spec(WatchCreateRequest request) {
    return new WatchSpec(
        request.getKey().isEmpty() ? ZERO : request.getKey(),
        request.getRangeEnd(),
        request.getStartRevision(),
        request.getWatchId(),
        request.getPrevKv(),
        request.getProgressNotify(),
        request.getFragment(),
        request.getFiltersList().contains(WatchCreateRequest.FilterType.NOPUT),
        request.getFiltersList().contains(WatchCreateRequest.FilterType.NODELETE));
  }

  /// Told in the middle of a flush, which would not end while each stream that got room filled it
  /// at once: waits for its turn instead.
  @Override
  public void onReady() {
    wake();
  }

  /// Sends what there is and the client has room for; of the past one message.
  private void pump() {
    if (closed) {
      return;
    }
    if (!headersSent) {
      // At once: some clients wait for them before they send.
      headersSent = true;
      call.sendHeaders(new Metadata());
    }
    boolean more = true;
    while (more && call.isReady()) {
      WireMessage first = poll();
      if (first != null) {
        PackedMessages packed = new PackedMessages(first);
        more = stream.isBehind() || !packs || pack(packed);
        packed.prepare(meter);
        call.sendMessage(packed);
      } else {
        more = false;
      }
      if (stream.isBehind()) {
        queueCatchUp();
        return;
      }
    }
    if (!more && wantsRequest) {
      wantsRequest = false;
      call.request(1);
    }
  }

  private @Nullable WireMessage poll() {
    WireMessage kept = next;
    if (kept != null) {
      next = null;
      return kept;
    }
    WatchMessage message = stream.poll();
    return message == null ? null : WatchReply.of(core.headers(), message);
  }

  /// Adds what fits of the present.
  ///
  /// @return whether there may be more
  private boolean pack(PackedMessages packed) {
    while (!stream.isBehind()) {
      WireMessage message = poll();
      if (message == null) {
        return false;
      }
      if (!packed.add(message)) {
        next = message;
        return true;
      }
    }
    return true;
  }

  /// The client's half-close ends nothing (WATCH-3).
  @Override
  public void onHalfClose() {}

  @Override
  public void onCancel() {
    ended();
  }

  @Override
  public void onComplete() {
    ended();
  }

  private void ended() {
    closed = true;
    leaderWatch.remove(this);
    stream.close();
  }

  @Override
  public void leaderLost() {
    loop.execute(() -> close(Statuses.of(RpcError.NO_LEADER)));
  }

  private void close(Status status) {
    if (!closed) {
      ended();
      call.close(status, new Metadata());
    }
  }
}
