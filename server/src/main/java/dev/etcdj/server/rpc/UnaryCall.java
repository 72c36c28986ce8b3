package dev.etcdj.server.rpc;

import com.google.protobuf.MessageLite;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.propose.Proposal;
import dev.etcdj.server.propose.ProposalCallback;
import dev.etcdj.server.read.ReadCallback;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One unary call, from its first byte to its status: one object, which is also the waiter of the
/// call's proposal or read. Lives on its [CallLoop].
final class UnaryCall<Q extends MessageLite> extends ServerCall.Listener<Incoming<Q>>
    implements ProposalCallback, ReadCallback, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(UnaryCall.class);

  private final UnaryMethod<Q> method;
  private final ServerCall<Incoming<Q>, WireMessage> call;
  private final CallLoop loop = CallLoop.current();
  private @Nullable Incoming<Q> request;
  private @Nullable Proposal proposal;
  private @Nullable Runnable onClose;
  private boolean closed;

  // What other threads bring; handed over by the loop's queue, one at a time.
  private @Nullable ApplyResult result;
  private @Nullable EtcdException error;

  UnaryCall(UnaryMethod<Q> method, ServerCall<Incoming<Q>, WireMessage> call) {
    this.method = method;
    this.call = call;
  }

  // ---- from the client --------------------------------------------------------------------------

  @Override
  public void onMessage(Incoming<Q> message) {
    if (request == null) {
      request = message;
    } else {
      close(Status.INTERNAL.withDescription("more than one request message for a unary call"));
    }
  }

  @Override
  public void onHalfClose() {
    Incoming<Q> received = request;
    if (closed) {
      return;
    }
    if (received == null) {
      close(Status.INTERNAL.withDescription("half-closed without a request"));
    } else if (received.message() == null) {
      close(Status.INTERNAL.withDescription("error unmarshalling request: " + received.error()));
    } else {
      Q message = received.message();
      guarded(() -> method.start(this, message));
    }
  }

  @Override
  public void onCancel() {
    Proposal pending = proposal;
    if (!closed && pending != null) {
      pending.cancel();
    }
    ended();
  }

  @Override
  public void onComplete() {
    ended();
  }

  private void ended() {
    closed = true;
    Runnable action = onClose;
    onClose = null;
    if (action != null) {
      action.run();
    }
  }

  // ---- for the method ---------------------------------------------------------------------------

  /// The request as it came in.
  byte[] requestBytes() {
    return received().bytes();
  }

  /// The request.
  Q request() {
    Q message = received().message();
    if (message == null) {
      throw new IllegalStateException("no request");
    }
    return message;
  }

  private Incoming<Q> received() {
    Incoming<Q> received = request;
    if (received == null) {
      throw new IllegalStateException("no request");
    }
    return received;
  }

  /// The proposal whose answer the call waits for: given up when the client is gone.
  void waitsFor(Proposal waiter) {
    proposal = waiter;
  }

  /// Runs `action` once when the call has ended: its last byte was sent, or the client is gone.
  void onClose(Runnable action) {
    onClose = action;
  }

  /// Whose turn it is among those who share a connection.
  Object connection() {
    Object remote = call.getAttributes().get(io.grpc.Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote == null ? this : remote;
  }

  CallLoop loop() {
    return loop;
  }

  /// Ends the call with an answer.
  void reply(WireMessage message) {
    if (closed) {
      return;
    }
    if (isTooLong(message)) {
      close(
          Status.RESOURCE_EXHAUSTED.withDescription(
              "trying to send message larger than max (2147483647)"));
      return;
    }
    closed = true;
    send(message);
  }

  /// Ends the call with an answer that is written on this thread, off the call's loop: for long
  /// ones. Only for whoever the call was handed to, so that nothing else answers it.
  void replyHere(WireMessage message) {
    if (isTooLong(message)) {
      loop.execute(() -> reply(message));
    } else {
      send(message);
    }
  }

  private static boolean isTooLong(WireMessage message) {
    return message.serializedSize() == Integer.MAX_VALUE;
  }

  private void send(WireMessage message) {
    call.sendHeaders(new Metadata());
    call.sendMessage(message);
    call.close(Status.OK, new Metadata());
  }

  void reply(MessageLite message) {
    reply(WireMessage.of(message));
  }

  /// Ends the call with an error.
  void fail(EtcdException why) {
    close(Statuses.of(why));
  }

  private void close(Status status) {
    if (!closed) {
      closed = true;
      call.close(status, new Metadata());
    }
  }

  // ---- from other threads -----------------------------------------------------------------------

  @Override
  public void done(ApplyResult applied) {
    result = applied;
    loop.execute(this);
  }

  @Override
  public void ready() {
    loop.execute(this);
  }

  @Override
  public void failed(EtcdException why) {
    error = why;
    loop.execute(this);
  }

  @Override
  public void run() {
    if (closed) {
      return;
    }
    ApplyResult applied = result;
    EtcdException why = error;
    result = null;
    if (why != null) {
      fail(why);
    } else if (applied instanceof ApplyResult.Refused refused) {
      fail(refused.error());
    } else if (applied != null) {
      guarded(() -> method.applied(this, applied));
    } else {
      guarded(() -> method.readable(this));
    }
  }

  /// Runs a step of the method; whatever it throws ends the call and nothing else.
  void guarded(Runnable step) {
    try {
      step.run();
    } catch (EtcdException e) {
      fail(e);
    } catch (RuntimeException e) {
      LOG.error("call {} failed", call.getMethodDescriptor().getFullMethodName(), e);
      close(Status.INTERNAL.withDescription("internal error"));
    }
  }
}
