package dev.etcdj.server.rpc;

import static dev.etcdj.server.rpc.KvServiceTest.bytes;
import static dev.etcdj.server.rpc.KvServiceTest.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import dev.etcdj.proto.etcdserverpb.LeaseLeasesRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.WatchCancelRequest;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.etcdserverpb.WatchProgressRequest;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.server.apply.Machine;
import dev.etcdj.server.apply.ScriptedRaft;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Guarantees the streams and the lease calls on the wire. Source: watch.md, lease.md.
class StreamsTest {
  private TestMember member;
  private KVGrpc.KVBlockingStub kv;
  private LeaseGrpc.LeaseBlockingStub leases;

  @BeforeEach
  void start() throws Exception {
    member = new TestMember(-1);
    kv = KVGrpc.newBlockingStub(member.channel);
    leases = LeaseGrpc.newBlockingStub(member.channel);
  }

  @AfterEach
  void stop() throws Exception {
    member.close();
  }

  /// What a stream receives, in order.
  private static final class Received<Q, R> implements ClientResponseObserver<Q, R> {
    final LinkedBlockingQueue<R> messages = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Status> end = new LinkedBlockingQueue<>();
    private final boolean pull;
    ClientCallStreamObserver<Q> requests;

    Received(boolean pull) {
      this.pull = pull;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> stream) {
      requests = stream;
      if (pull) {
        stream.disableAutoRequestWithInitial(1);
      }
    }

    @Override
    public void onNext(R value) {
      messages.add(value);
    }

    @Override
    public void onError(Throwable t) {
      end.add(Status.fromThrowable(t));
    }

    @Override
    public void onCompleted() {
      end.add(Status.OK);
    }

    R next() throws InterruptedException {
      R message = messages.poll(10, TimeUnit.SECONDS);
      if (message == null) {
        throw new AssertionError("nothing came; stream end " + end.peek());
      }
      return message;
    }
  }

  private static WatchRequest create(WatchCreateRequest.Builder create) {
    return WatchRequest.newBuilder().setCreateRequest(create).build();
  }

  private static WatchCreateRequest.Builder prefix(String from, String to) {
    return WatchCreateRequest.newBuilder().setKey(bytes(from)).setRangeEnd(bytes(to));
  }

  @Test
  void watchDeliversHistoryThenFollows() throws Exception {
    var _ = kv.put(put("a", "1"));
    var received = new Received<WatchRequest, WatchResponse>(false);
    StreamObserver<WatchRequest> requests = WatchGrpc.newStub(member.channel).watch(received);
    requests.onNext(create(prefix("a", "b").setStartRevision(1).setPrevKv(true)));
    WatchResponse created = received.next();
    assertTrue(created.getCreated());
    assertEquals(0, created.getWatchId());
    assertEquals(2, created.getHeader().getRevision());
    assertEquals(ScriptedRaft.SELF, created.getHeader().getMemberId());
    WatchResponse history = received.next();
    assertEquals("1", history.getEvents(0).getKv().getValue().toStringUtf8());

    var _ = kv.put(put("a", "2"));
    WatchResponse live = received.next();
    assertEquals(3, live.getHeader().getRevision());
    assertEquals("2", live.getEvents(0).getKv().getValue().toStringUtf8());
    assertEquals("1", live.getEvents(0).getPrevKv().getValue().toStringUtf8());

    // WATCH-3: a half-close ends nothing.
    requests.onNext(
        WatchRequest.newBuilder()
            .setProgressRequest(WatchProgressRequest.getDefaultInstance())
            .build());
    WatchResponse progress = received.next();
    assertEquals(-1, progress.getWatchId());
    assertEquals(3, progress.getHeader().getRevision());
    requests.onCompleted();
    var _ = kv.put(put("a", "3"));
    assertEquals("3", received.next().getEvents(0).getKv().getValue().toStringUtf8());
    assertNull(received.end.peek());
  }

  /// Short responses share writes; each still arrives for itself, in order, whatever lies between.
  @Test
  void everyWatcherOfAStreamHasItsOwnResponse() throws Exception {
    int watchers = 60;
    var received = new Received<WatchRequest, WatchResponse>(false);
    StreamObserver<WatchRequest> requests = WatchGrpc.newStub(member.channel).watch(received);
    for (int i = 0; i < watchers; i++) {
      requests.onNext(create(prefix("a", "")));
      assertEquals(i, received.next().getWatchId());
    }
    for (int length : new int[] {1, 500, 4_000, 4_096, 20_000, 2}) {
      String value = "x".repeat(length);
      long revision = kv.put(put("a", value)).getHeader().getRevision();
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < watchers; i++) {
        WatchResponse response = received.next();
        ids.add(response.getWatchId());
        assertEquals(revision, response.getHeader().getRevision());
        assertEquals(value, response.getEvents(0).getKv().getValue().toStringUtf8());
      }
      assertEquals(LongStream.range(0, watchers).boxed().toList(), ids.stream().sorted().toList());
    }
    assertTrue(member.sentAlong.get() > watchers, "nothing was packed");
    requests.onCompleted();
  }

  @Test
  void watchControlResponses() throws Exception {
    for (int i = 0; i < 4; i++) {
      var _ = kv.put(put("a", "" + i));
    }
    var _ = kv.compact(CompactionRequest.newBuilder().setRevision(4).build());
    var received = new Received<WatchRequest, WatchResponse>(false);
    StreamObserver<WatchRequest> requests = WatchGrpc.newStub(member.channel).watch(received);
    // WATCH-1: ignored.
    requests.onNext(WatchRequest.getDefaultInstance());
    // WATCH-16
    requests.onNext(create(prefix("b", "a")));
    WatchResponse failed = received.next();
    assertTrue(failed.getCreated() && failed.getCanceled());
    assertEquals(-1, failed.getWatchId());
    assertEquals("mvcc: watcher range is empty", failed.getCancelReason());
    // WATCH-33
    requests.onNext(create(prefix("a", "").setStartRevision(2).setWatchId(7)));
    assertTrue(received.next().getCreated());
    WatchResponse compacted = received.next();
    assertTrue(compacted.getCanceled());
    assertEquals(7, compacted.getWatchId());
    assertEquals(4, compacted.getCompactRevision());
    assertEquals(0, compacted.getHeader().getRevision());
    assertEquals(1, compacted.getHeader().getRaftTerm());
    // WATCH-60
    requests.onNext(create(prefix("a", "").setWatchId(8)));
    assertTrue(received.next().getCreated());
    requests.onNext(
        WatchRequest.newBuilder()
            .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(8))
            .build());
    WatchResponse cancelled = received.next();
    assertTrue(cancelled.getCanceled());
    assertEquals(8, cancelled.getWatchId());
    assertEquals(5, cancelled.getHeader().getRevision());
  }

  @Test
  void aClientThatDoesNotReadCostsNobodyElse() throws Exception {
    var slow = new Received<WatchRequest, WatchResponse>(true);
    StreamObserver<WatchRequest> slowRequests = WatchGrpc.newStub(member.channel).watch(slow);
    slowRequests.onNext(create(prefix("k", "l")));
    assertTrue(slow.next().getCreated());
    ByteString value = ByteString.copyFrom(new byte[20_000]);
    int writes = 500;
    for (int i = 0; i < writes; i++) {
      var _ = kv.put(PutRequest.newBuilder().setKey(bytes("k" + i)).setValue(value).build());
    }
    // 10 MB are written; it has taken what flow control lets through, and is now let on.
    int events = 0;
    long last = 0;
    while (events < writes) {
      slow.requests.request(1);
      WatchResponse response = slow.next();
      for (var event : response.getEventsList()) {
        assertTrue(event.getKv().getModRevision() > last);
        last = event.getKv().getModRevision();
        events++;
      }
    }
    assertEquals(writes + 1, last);
  }

  @Test
  void streamsThatWantALeaderEndWithoutOne() throws Exception {
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
    var received = new Received<WatchRequest, WatchResponse>(false);
    var stub =
        WatchGrpc.newStub(member.channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    stub.watch(received).onNext(create(prefix("a", "b")));
    assertTrue(received.next().getCreated());
    var patient = new Received<WatchRequest, WatchResponse>(false);
    WatchGrpc.newStub(member.channel).watch(patient).onNext(create(prefix("a", "b")));
    assertTrue(patient.next().getCreated());

    member.raft.follow(0, 2);
    for (int look = 1; look <= 3; look++) {
      assertNull(received.end.peek());
      int seen = look;
      member.advance(Machine.SECOND);
      if (seen < 3) {
        Thread.sleep(50);
      }
    }
    Status end = received.end.poll(10, TimeUnit.SECONDS);
    assertEquals(Status.Code.UNAVAILABLE, end.getCode());
    assertEquals("etcdserver: no leader", end.getDescription());
    assertNull(patient.end.peek());
    // KV-20
    var eager = kv.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                eager.range(
                    RangeRequest.newBuilder().setKey(bytes("a")).setSerializable(true).build()));
    assertEquals("etcdserver: no leader", refused.getStatus().getDescription());
  }

  @Test
  void leasesLiveAndDie() throws Exception {
    // LEASE-13, LEASE-14, LEASE-11
    assertEquals(
        2, leases.leaseGrant(LeaseGrantRequest.newBuilder().setID(5).setTTL(0).build()).getTTL());
    StatusRuntimeException taken =
        assertThrows(
            StatusRuntimeException.class,
            () -> leases.leaseGrant(LeaseGrantRequest.newBuilder().setID(5).setTTL(9).build()));
    assertEquals("etcdserver: lease already exists", taken.getStatus().getDescription());
    long chosen = leases.leaseGrant(LeaseGrantRequest.newBuilder().setTTL(100).build()).getID();
    assertTrue(chosen > 0);
    var _ = kv.put(put("a", "1").toBuilder().setLease(chosen).build());
    var _ = kv.put(put("b", "1").toBuilder().setLease(5).build());
    var _ = kv.put(put("c", "1").toBuilder().setLease(5).build());

    var alive =
        leases.leaseTimeToLive(LeaseTimeToLiveRequest.newBuilder().setID(5).setKeys(true).build());
    assertEquals(2, alive.getGrantedTTL());
    assertEquals(2, alive.getKeysCount());
    // LEASE-63
    assertEquals(
        -1, leases.leaseTimeToLive(LeaseTimeToLiveRequest.newBuilder().setID(6).build()).getTTL());
    assertEquals(2, leases.leaseLeases(LeaseLeasesRequest.getDefaultInstance()).getLeasesCount());

    var received = new Received<LeaseKeepAliveRequest, LeaseKeepAliveResponse>(false);
    var requests = LeaseGrpc.newStub(member.channel).leaseKeepAlive(received);
    for (long id : List.of(5L, 6L, chosen)) {
      requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(id).build());
    }
    // LEASE-40..42
    assertEquals(
        List.of(2L, 0L, 100L),
        List.of(received.next().getTTL(), received.next().getTTL(), received.next().getTTL()));
    requests.onCompleted();
    assertEquals(Status.OK, received.end.poll(10, TimeUnit.SECONDS));

    // LEASE-32: both keys go in one revision.
    long before = member.machine.kv.revision();
    member.raft.lastTickNanos = Long.MAX_VALUE / 2;
    member.advance(3 * Machine.SECOND);
    TestMember.await(() -> !member.machine.lessor.exists(5));
    TestMember.await(() -> member.machine.kv.revision() == before + 1);
    assertEquals(
        1,
        kv.range(RangeRequest.newBuilder().setKey(bytes("a")).setRangeEnd(bytes("z")).build())
            .getCount());
    // LEASE-31
    assertEquals(
        before + 2,
        leases
            .leaseRevoke(LeaseRevokeRequest.newBuilder().setID(chosen).build())
            .getHeader()
            .getRevision());
    StatusRuntimeException gone =
        assertThrows(
            StatusRuntimeException.class,
            () -> leases.leaseRevoke(LeaseRevokeRequest.newBuilder().setID(chosen).build()));
    assertEquals("etcdserver: requested lease not found", gone.getStatus().getDescription());
    assertFalse(member.machine.lessor.exists(chosen));
  }
}
