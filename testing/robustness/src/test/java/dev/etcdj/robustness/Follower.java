package dev.etcdj.robustness;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// One watcher on everything from revision 1 that resumes after the last revision it saw whenever
/// its stream breaks, on the next member (WATCH-6).
final class Follower implements AutoCloseable {
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  private final ProcessCluster cluster;
  private final History history;
  private final Thread thread;
  private volatile boolean stopping;

  Follower(ProcessCluster cluster, History history) {
    this.cluster = cluster;
    this.history = history;
    this.thread = Thread.ofVirtual().start(this::follow);
  }

  private void follow() {
    for (int member = 0; !stopping; member = (member + 1) % cluster.size()) {
      CountDownLatch ended = new CountDownLatch(1);
      var requests = WatchGrpc.newStub(cluster.channel(member)).watch(new Stream(ended));
      requests.onNext(
          WatchRequest.newBuilder()
              .setCreateRequest(
                  WatchCreateRequest.newBuilder()
                      .setKey(ZERO)
                      .setRangeEnd(ZERO)
                      .setStartRevision(history.lastSeenRevision() + 1))
              .build());
      try {
        while (!stopping && !ended.await(100, TimeUnit.MILLISECONDS)) {
          // Either the stream breaks or the test ends.
        }
        requests.onError(new InterruptedException("resume elsewhere"));
        Thread.sleep(50);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private final class Stream implements StreamObserver<WatchResponse> {
    private final CountDownLatch ended;

    Stream(CountDownLatch ended) {
      this.ended = ended;
    }

    @Override
    public void onNext(WatchResponse response) {
      if (ended.getCount() > 0) {
        history.seen(response.getEventsList());
      }
      if (response.getCanceled()) {
        ended.countDown();
      }
    }

    @Override
    public void onError(Throwable broken) {
      ended.countDown();
    }

    @Override
    public void onCompleted() {
      ended.countDown();
    }
  }

  /// Waits until everything up to `revision` was seen.
  void await(long revision, Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (history.lastSeenRevision() < revision) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "the watch stream stands at %d, the store at %d"
                .formatted(history.lastSeenRevision(), revision));
      }
      Thread.sleep(20);
    }
  }

  @Override
  public void close() throws InterruptedException {
    stopping = true;
    thread.join();
  }
}
