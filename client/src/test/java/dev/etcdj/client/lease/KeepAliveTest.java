package dev.etcdj.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.etcdj.client.Client;
import dev.etcdj.client.ClientConfig;
import dev.etcdj.client.FaultyServer;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Guarantee: a kept lease is renewed before its time is over, over broken streams, until the
/// server says it is gone, its time passes without an answer, or it is closed.
@Timeout(30)
class KeepAliveTest {
  /// Answers the n-th renewal as told.
  private static final class Renewing extends LeaseGrpc.LeaseImplBase {
    final BlockingQueue<Long> renewed = new LinkedBlockingQueue<>();
    private final BiConsumer<
            Integer, StreamObserver<dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse>>
        answer;
    private int count;

    Renewing(
        BiConsumer<Integer, StreamObserver<dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse>>
            answer) {
      this.answer = answer;
    }

    @Override
    public StreamObserver<LeaseKeepAliveRequest> leaseKeepAlive(
        StreamObserver<dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse> to) {
      return new StreamObserver<>() {
        @Override
        public void onNext(LeaseKeepAliveRequest request) {
          synchronized (Renewing.this) {
            count++;
            renewed.add(request.getID());
            answer.accept(count, to);
          }
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
      };
    }
  }

  private static dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse ttl(long seconds) {
    return dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse.newBuilder()
        .setID(7)
        .setTTL(seconds)
        .build();
  }

  @Test
  void renewsOverABrokenStreamUntilGone() throws Exception {
    Renewing server =
        new Renewing(
            (count, to) -> {
              switch (count) {
                case 1, 3 -> to.onNext(ttl(1));
                case 2 -> to.onError(Status.UNAVAILABLE.asRuntimeException());
                default -> to.onNext(ttl(0));
              }
            });
    BlockingQueue<Long> told = new LinkedBlockingQueue<>();
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        KeepAlive kept = client.lease().keepAlive(7, response -> told.add(response.ttlSeconds()))) {
      assertEquals(KeepAlive.End.GONE, kept.ended().get(20, TimeUnit.SECONDS));
      assertEquals(2, told.size());
      assertEquals(4, server.renewed.size());
    }
  }

  @Test
  void isLostWhenItsTimePassesUnanswered() throws Exception {
    Renewing server =
        new Renewing(
            (count, to) -> {
              if (count == 1) {
                to.onNext(ttl(1));
              }
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        KeepAlive kept = client.lease().keepAlive(7, response -> {})) {
      assertEquals(KeepAlive.End.LOST, kept.ended().get(20, TimeUnit.SECONDS));
    }
  }

  @Test
  void endsWithItsHandleAndWithTheClient() throws Exception {
    Renewing server = new Renewing((count, to) -> to.onNext(ttl(60)));
    try (FaultyServer running = FaultyServer.start(0, server)) {
      Client client = Client.open(ClientConfig.to(running.endpoint()));
      KeepAlive closed = client.lease().keepAlive(7, response -> {});
      KeepAlive left = client.lease().keepAlive(7, response -> {});
      server.renewed.take();
      closed.close();
      assertEquals(KeepAlive.End.CLOSED, closed.ended().get(20, TimeUnit.SECONDS));
      client.close();
      assertEquals(KeepAlive.End.CLOSED, left.ended().get(20, TimeUnit.SECONDS));
    }
  }
}
