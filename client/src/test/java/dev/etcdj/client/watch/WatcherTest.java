package dev.etcdj.client.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.client.Client;
import dev.etcdj.client.ClientConfig;
import dev.etcdj.client.FaultyServer;
import dev.etcdj.client.kv.KeyRange;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.mvccpb.KeyValue;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Guarantee: a watch tells every revision once and in order over any number of streams, ends with
/// a last word when it cannot go on, and holds no more than it was allowed (WATCH-6, 33, 46, 90).
/// Method: servers on real sockets that play one script per stream.
@Timeout(30)
class WatcherTest {
  private static final KeyRange RANGE = KeyRange.all();

  /// What the server does with the n-th stream once its create request has come.
  private interface Script
      extends BiConsumer<
          WatchCreateRequest,
          ServerCallStreamObserver<dev.etcdj.proto.etcdserverpb.WatchResponse>> {}

  /// Plays one script per stream and keeps the create requests.
  private static final class Scripted extends WatchGrpc.WatchImplBase {
    final BlockingQueue<WatchCreateRequest> creates = new LinkedBlockingQueue<>();
    private final BlockingQueue<Script> scripts = new LinkedBlockingQueue<>();

    Scripted(Script... scripts) {
      this.scripts.addAll(List.of(scripts));
    }

    @Override
    public StreamObserver<dev.etcdj.proto.etcdserverpb.WatchRequest> watch(
        StreamObserver<dev.etcdj.proto.etcdserverpb.WatchResponse> to) {
      var out = (ServerCallStreamObserver<dev.etcdj.proto.etcdserverpb.WatchResponse>) to;
      Script script = scripts.poll();
      return new StreamObserver<>() {
        @Override
        public void onNext(dev.etcdj.proto.etcdserverpb.WatchRequest request) {
          if (!request.hasCreateRequest()) {
            return;
          }
          creates.add(request.getCreateRequest());
          if (script == null) {
            return;
          }
          script.accept(request.getCreateRequest(), out);
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
      };
    }
  }

  private static dev.etcdj.proto.etcdserverpb.WatchResponse.Builder response(long revision) {
    return dev.etcdj.proto.etcdserverpb.WatchResponse.newBuilder()
        .setHeader(ResponseHeader.newBuilder().setRevision(revision));
  }

  private static dev.etcdj.proto.etcdserverpb.WatchResponse created(long revision) {
    return response(revision).setCreated(true).build();
  }

  private static dev.etcdj.proto.etcdserverpb.WatchResponse events(long header, long... revisions) {
    var response = response(header);
    for (long revision : revisions) {
      response.addEvents(event(revision, 1));
    }
    return response.build();
  }

  private static dev.etcdj.proto.mvccpb.Event event(long revision, int valueBytes) {
    return dev.etcdj.proto.mvccpb.Event.newBuilder()
        .setKv(
            KeyValue.newBuilder()
                .setKey(ByteString.copyFromUtf8("k"))
                .setModRevision(revision)
                .setValue(ByteString.copyFrom(new byte[valueBytes])))
        .build();
  }

  private static List<Long> revisions(WatchResponse response) {
    return assertInstanceOf(WatchResponse.Events.class, response).events().stream()
        .map(event -> event.kv().modRevision())
        .toList();
  }

  private static WatchResponse next(Watcher watcher) throws Exception {
    return watcher.next().get(20, TimeUnit.SECONDS);
  }

  @Test
  void resumesBehindTheLastEventNotTheHeader() throws Exception {
    Scripted server =
        new Scripted(
            (create, out) -> {
              out.onNext(created(9));
              out.onNext(events(9, 5, 6)); // the header runs ahead of events still to come
              out.onError(Status.UNAVAILABLE.asRuntimeException());
            },
            (create, out) -> {
              out.onNext(created(9));
              out.onNext(events(9, 7, 8, 9));
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher = client.watch().start(WatchRequest.of(RANGE).from(5))) {
      assertEquals(List.of(5L, 6L), revisions(next(watcher)));
      assertEquals(List.of(7L, 8L, 9L), revisions(next(watcher)));
      assertEquals(5, server.creates.take().getStartRevision());
      assertEquals(7, server.creates.take().getStartRevision());
      assertEquals(10, watcher.nextRevision());
    }
  }

  @Test
  void watchFromNowKeepsItsBeginningOverABreak() throws Exception {
    Scripted server =
        new Scripted(
            (create, out) -> {
              out.onNext(created(41));
              out.onError(Status.UNAVAILABLE.asRuntimeException());
            },
            (create, out) -> {
              out.onNext(created(50));
              out.onNext(events(50, 42));
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher = client.watch().start(WatchRequest.of(RANGE))) {
      assertEquals(List.of(42L), revisions(next(watcher)));
      assertEquals(0, server.creates.take().getStartRevision());
      assertEquals(42, server.creates.take().getStartRevision());
    }
  }

  @Test
  void resumesOnARestartedServer() throws Exception {
    Scripted first =
        new Scripted(
            (create, out) -> {
              out.onNext(created(3));
              out.onNext(events(3, 3));
            });
    Scripted second =
        new Scripted(
            (create, out) -> {
              out.onNext(created(4));
              out.onNext(events(4, 4));
            });
    FaultyServer running = FaultyServer.start(0, first);
    try (Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher = client.watch().start(WatchRequest.of(RANGE).from(3))) {
      assertEquals(List.of(3L), revisions(next(watcher)));
      running.close();
      try (FaultyServer again = FaultyServer.start(running.port(), second)) {
        assertEquals(List.of(4L), revisions(next(watcher)));
        assertEquals(4, second.creates.take().getStartRevision());
        assertTrue(again.port() > 0);
      }
    }
  }

  @Test
  void progressMovesThePosition() throws Exception {
    Scripted server =
        new Scripted(
            (create, out) -> {
              out.onNext(created(3));
              out.onNext(response(20).setWatchId(-1).build());
              out.onError(Status.UNAVAILABLE.asRuntimeException());
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher = client.watch().start(WatchRequest.of(RANGE))) {
      assertInstanceOf(WatchResponse.Progress.class, next(watcher));
      server.creates.take();
      assertEquals(21, server.creates.take().getStartRevision());
    }
  }

  @Test
  void compactionIsTheLastWord() throws Exception {
    Scripted server =
        new Scripted(
            (create, out) -> {
              out.onNext(created(9));
              out.onNext(response(0).setCanceled(true).setCompactRevision(8).build());
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher = client.watch().start(WatchRequest.of(RANGE).from(2))) {
      for (int i = 0; i < 2; i++) {
        WatchResponse last = next(watcher);
        assertEquals(8, assertInstanceOf(WatchResponse.Compacted.class, last).compactRevision());
        assertTrue(last.last());
      }
    }
  }

  @Test
  void refusalAndFailureAreLastWords() throws Exception {
    Scripted server =
        new Scripted(
            (create, out) ->
                out.onNext(
                    response(1)
                        .setWatchId(-1)
                        .setCreated(true)
                        .setCanceled(true)
                        .setCancelReason("no")
                        .build()),
            (create, out) -> out.onError(Status.PERMISSION_DENIED.asRuntimeException()));
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()))) {
      Watcher refused = client.watch().start(WatchRequest.of(RANGE));
      assertEquals("no", assertInstanceOf(WatchResponse.Refused.class, next(refused)).reason());
      Watcher failed = client.watch().start(WatchRequest.of(RANGE));
      assertInstanceOf(WatchResponse.Failed.class, next(failed));
    }
  }

  @Test
  void closingTheClientEndsTheWatch() throws Exception {
    Scripted server = new Scripted((create, out) -> out.onNext(created(1)));
    try (FaultyServer running = FaultyServer.start(0, server)) {
      Client client = Client.open(ClientConfig.to(running.endpoint()));
      Watcher watcher = client.watch().start(WatchRequest.of(RANGE));
      server.creates.take();
      client.close();
      assertInstanceOf(WatchResponse.Closed.class, next(watcher));
    }
  }

  @Test
  void partsAreToldAsOneResponse() throws Exception {
    Scripted server =
        new Scripted(
            (create, out) -> {
              assertTrue(create.getFragment());
              out.onNext(created(1));
              out.onNext(events(5, 5).toBuilder().setFragment(true).build());
              out.onNext(events(5, 5).toBuilder().setFragment(true).build());
              out.onNext(events(5, 5));
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher = client.watch().start(WatchRequest.of(RANGE).withBufferedResponses(1))) {
      assertEquals(List.of(5L, 5L, 5L), revisions(next(watcher)));
    }
  }

  @Test
  void slowReaderHoldsTheServerBack() throws Exception {
    int total = 500;
    CompletableFuture<Integer> stalledAt = new CompletableFuture<>();
    Scripted server =
        new Scripted(
            (create, out) -> {
              out.onNext(created(1));
              Thread.ofVirtual()
                  .start(
                      () -> {
                        int sent = 0;
                        while (sent < total) {
                          if (!out.isReady()) {
                            stalledAt.complete(sent);
                            LockSupport.parkNanos(100_000);
                            continue;
                          }
                          sent++;
                          out.onNext(response(sent).addEvents(event(sent, 64 * 1024)).build());
                        }
                        stalledAt.complete(total);
                      });
            });
    try (FaultyServer running = FaultyServer.start(0, server);
        Client client = Client.open(ClientConfig.to(running.endpoint()));
        Watcher watcher =
            client.watch().start(WatchRequest.of(RANGE).from(1).withBufferedResponses(4))) {
      assertTrue(stalledAt.get(20, TimeUnit.SECONDS) < total / 2, "the server was never held back");
      for (long revision = 1; revision <= total; revision++) {
        assertEquals(List.of(revision), revisions(next(watcher)));
      }
    }
  }
}
