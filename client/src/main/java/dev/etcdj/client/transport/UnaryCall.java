package dev.etcdj.client.transport;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One request with all its attempts.
///
/// Attempts follow one another, never overlap, so its fields need no lock: each attempt starts
/// after the one before it has closed.
final class UnaryCall<Q, R, T> {
  private static final int MAX_ATTEMPTS = 100;
  private static final long FIRST_PAUSE_MILLIS = 25;
  private static final long MAX_PAUSE_MILLIS = 500;

  private final Calls calls;
  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final Retry retry;
  private final Function<R, T> convert;
  private final @Nullable Deadline deadline;
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private int attempts;

  UnaryCall(
      Calls calls, MethodDescriptor<Q, R> method, Q request, Retry retry, Function<R, T> convert) {
    this.calls = calls;
    this.method = method;
    this.request = request;
    this.retry = retry;
    this.convert = convert;
    this.deadline = calls.deadline();
  }

  CompletableFuture<T> future() {
    return future;
  }

  void attempt() {
    if (future.isDone()) {
      return;
    }
    attempts++;
    Sent sent = new Sent();
    CallOptions options = calls.options().withStreamTracerFactory(sent);
    if (deadline != null) {
      options = options.withDeadline(deadline);
    }
    ClientCall<Q, R> call = calls.transport().channel().newCall(method, options);
    future.whenComplete(
        (ignored, error) -> { // a cancelled future must not leave a call behind
          if (future.isCancelled()) {
            call.cancel("cancelled by the caller", null);
          }
        });
    call.start(new Answer(sent), new Metadata());
    call.request(2); // a second message would be a protocol error; gRPC wants room to see it
    call.sendMessage(request);
    call.halfClose();
  }

  private void failed(EtcdException error, boolean sent) {
    if (attempts >= MAX_ATTEMPTS
        || !retry.again(error, sent)
        || (deadline != null && deadline.isExpired())) {
      future.completeExceptionally(error);
      return;
    }
    long pause = pauseMillis();
    if (deadline != null && deadline.timeRemaining(TimeUnit.MILLISECONDS) <= pause) {
      // The caller's time ends during the pause; saying so now or then is the same to them.
      future.completeExceptionally(RpcError.CONTEXT_DEADLINE_EXCEEDED.exception());
      return;
    }
    calls.transport().reconnectNow();
    calls.transport().eventLoop().schedule(this::attempt, pause, TimeUnit.MILLISECONDS);
  }

  /// Doubles from 25 ms to 500 ms; the random half keeps clients from coming back in step.
  private long pauseMillis() {
    long full = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(attempts - 1, 10));
    return full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1);
  }

  /// Collects the one message and the status of an attempt.
  private final class Answer extends ClientCall.Listener<R> {
    private final Sent sent;
    private @Nullable R message;

    Answer(Sent sent) {
      this.sent = sent;
    }

    @Override
    public void onMessage(R received) {
      message = received;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (!status.isOk()) {
        failed(Errors.of(status), sent.sent);
      } else if (message == null) {
        future.completeExceptionally(
            new EtcdException(RpcError.Code.INTERNAL, "no message in the answer"));
      } else {
        complete(message);
      }
    }

    private void complete(R received) {
      T converted;
      try {
        converted = convert.apply(received);
      } catch (RuntimeException e) {
        future.completeExceptionally(e);
        return;
      }
      future.complete(converted);
    }
  }

  /// Knows whether a stream was opened on a connection, after which the request may have left.
  private static final class Sent extends ClientStreamTracer.Factory {
    volatile boolean sent; // set on a transport thread, read by whichever closes the call

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transportAttrs, Metadata sentHeaders) {
          sent = true;
        }
      };
    }
  }
}
