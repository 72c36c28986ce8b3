package dev.etcdj.conformance;

import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One lease keepalive stream of a program: a request, its answer, the next (LEASE-40).
final class KeepAliveStream implements StreamObserver<LeaseKeepAliveResponse> {
  private static final long PATIENCE_SECONDS = 10;

  private final BlockingQueue<Outcome> came = new LinkedBlockingQueue<>();
  private @Nullable StreamObserver<LeaseKeepAliveRequest> requests;

  void opened(StreamObserver<LeaseKeepAliveRequest> to) {
    this.requests = to;
  }

  Outcome send(LeaseKeepAliveRequest request) throws InterruptedException {
    Objects.requireNonNull(requests).onNext(request);
    return next();
  }

  Outcome halfClose() throws InterruptedException {
    Objects.requireNonNull(requests).onCompleted();
    return next();
  }

  private Outcome next() throws InterruptedException {
    Outcome next = came.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return next == null
        ? Outcome.of(Status.DEADLINE_EXCEEDED.withDescription("no answer"), List.of())
        : next;
  }

  @Override
  public void onNext(LeaseKeepAliveResponse answer) {
    came.add(Outcome.of(List.of(answer)));
  }

  @Override
  public void onError(Throwable cause) {
    came.add(Outcome.of(Status.fromThrowable(cause), List.of()));
  }

  @Override
  public void onCompleted() {
    came.add(Outcome.of(Status.OK.withDescription("ended"), List.of()));
  }
}
