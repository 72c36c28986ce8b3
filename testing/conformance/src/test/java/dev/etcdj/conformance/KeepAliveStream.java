package dev.etcdj.conformance;

import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One lease keepalive stream of a program: a request, its answer, the next (LEASE-40). On the
/// connection's event loop.
final class KeepAliveStream implements StreamObserver<LeaseKeepAliveResponse> {
  private final Queue<Outcome> came = new ArrayDeque<>();
  private @Nullable StreamObserver<LeaseKeepAliveRequest> requests;
  private @Nullable Consumer<Outcome> waiting;

  void opened(StreamObserver<LeaseKeepAliveRequest> to) {
    this.requests = to;
  }

  void send(LeaseKeepAliveRequest request, Consumer<Outcome> then) {
    Objects.requireNonNull(requests).onNext(request);
    waiting = then;
    handOver();
  }

  void halfClose(Consumer<Outcome> then) {
    Objects.requireNonNull(requests).onCompleted();
    waiting = then;
    handOver();
  }

  /// Ends a wait, if there is one.
  void giveUp() {
    if (waiting != null) {
      add(Outcome.of(Status.DEADLINE_EXCEEDED.withDescription("no answer"), List.of()));
    }
  }

  private void add(Outcome outcome) {
    came.add(outcome);
    handOver();
  }

  private void handOver() {
    Consumer<Outcome> then = waiting;
    Outcome next = then == null ? null : came.poll();
    if (then != null && next != null) {
      waiting = null;
      then.accept(next);
    }
  }

  @Override
  public void onNext(LeaseKeepAliveResponse answer) {
    add(Outcome.of(List.of(answer)));
  }

  @Override
  public void onError(Throwable cause) {
    add(Outcome.of(Status.fromThrowable(cause), List.of()));
  }

  @Override
  public void onCompleted() {
    add(Outcome.of(Status.OK.withDescription("ended"), List.of()));
  }
}
