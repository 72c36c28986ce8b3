package dev.etcdj.client.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.client.Client;
import dev.etcdj.client.ClientConfig;
import dev.etcdj.client.FaultyServer;
import dev.etcdj.client.transport.Limits;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Guarantee: a read is repeated until a member answers or its time is over; a change that may have
/// reached a member is sent once; one that can not have is sent as soon as there is a connection.
/// Method: servers on real sockets that refuse, vanish or come late.
@Timeout(30)
class KvRetryTest {
  private static final ByteString KEY = ByteString.copyFromUtf8("k");

  /// Refuses the first requests.
  private static final class Refusing extends KVGrpc.KVImplBase {
    final AtomicInteger requests = new AtomicInteger();
    private final int refusals;
    private final Status status;

    Refusing(int refusals, Status status) {
      this.refusals = refusals;
      this.status = status;
    }

    private <T> void answer(StreamObserver<T> to, T message) {
      if (requests.incrementAndGet() <= refusals) {
        to.onError(status.asRuntimeException());
      } else {
        to.onNext(message);
        to.onCompleted();
      }
    }

    @Override
    public void range(RangeRequest request, StreamObserver<RangeResponse> to) {
      answer(to, RangeResponse.newBuilder().setCount(7).build());
    }

    @Override
    public void put(
        dev.etcdj.proto.etcdserverpb.PutRequest request,
        StreamObserver<dev.etcdj.proto.etcdserverpb.PutResponse> to) {
      answer(to, dev.etcdj.proto.etcdserverpb.PutResponse.getDefaultInstance());
    }
  }

  private static final Status NO_LEADER =
      Status.UNAVAILABLE.withDescription(RpcError.NO_LEADER.text());

  @Test
  void readIsRepeatedAfterUnavailable() throws Exception {
    Refusing member = new Refusing(3, NO_LEADER);
    try (FaultyServer server = FaultyServer.start(0, member);
        Client client = Client.open(ClientConfig.to(server.endpoint()))) {
      assertEquals(7, client.kv().get(KEY).get().count());
      assertEquals(4, member.requests.get());
    }
  }

  @Test
  void readGoesToAnotherMember() throws Exception {
    Refusing bad = new Refusing(Integer.MAX_VALUE, NO_LEADER);
    Refusing good = new Refusing(0, NO_LEADER);
    try (FaultyServer one = FaultyServer.start(0, bad);
        FaultyServer two = FaultyServer.start(0, good);
        Client client = Client.open(ClientConfig.to(one.endpoint(), two.endpoint()))) {
      for (int i = 0; i < 10; i++) {
        assertEquals(7, client.kv().get(KEY).get().count());
      }
      assertEquals(10, good.requests.get());
    }
  }

  @Test
  void readIsNotRepeatedAfterOtherErrors() {
    Refusing member =
        new Refusing(1, Status.OUT_OF_RANGE.withDescription(RpcError.COMPACTED.text()));
    try (FaultyServer server = FaultyServer.start(0, member);
        Client client = Client.open(ClientConfig.to(server.endpoint()))) {
      EtcdException error = failure(client.kv().get(KEY));
      assertEquals(RpcError.Code.OUT_OF_RANGE, error.code());
      assertEquals(RpcError.COMPACTED.text(), error.text());
      assertEquals(1, member.requests.get());
    }
  }

  @Test
  void changeThatWasSentIsNotRepeated() {
    Refusing member = new Refusing(1, NO_LEADER);
    try (FaultyServer server = FaultyServer.start(0, member);
        Client client = Client.open(ClientConfig.to(server.endpoint()))) {
      EtcdException error = failure(client.kv().put(KEY, KEY));
      assertEquals(RpcError.Code.UNAVAILABLE, error.code());
      assertEquals(RpcError.NO_LEADER.text(), error.text());
      assertEquals(1, member.requests.get());
    }
  }

  @Test
  void changeWaitsForAMemberToComeUp() throws Exception {
    int port = freePort();
    try (Client client = Client.open(ClientConfig.to("127.0.0.1:" + port))) {
      CompletableFuture<PutResponse> put = client.kv().put(KEY, KEY);
      assertFalse(put.isDone());
      Refusing member = new Refusing(0, NO_LEADER);
      try (FaultyServer server = FaultyServer.start(port, member)) {
        put.get(20, TimeUnit.SECONDS);
        assertEquals(1, member.requests.get());
        assertEquals(port, server.port());
      }
    }
  }

  @Test
  void readSurvivesARestart() throws Exception {
    Refusing first = new Refusing(0, NO_LEADER);
    Refusing second = new Refusing(0, NO_LEADER);
    FaultyServer server = FaultyServer.start(0, first);
    try (Client client = Client.open(ClientConfig.to(server.endpoint()))) {
      client.kv().get(KEY).get();
      server.close();
      CompletableFuture<GetResponse> get = client.kv().get(KEY);
      try (FaultyServer again = FaultyServer.start(server.port(), second)) {
        assertEquals(7, get.get(20, TimeUnit.SECONDS).count());
        assertTrue(again.port() > 0);
      }
    }
  }

  @Test
  void unreachableEndsWithTheDeadline() throws Exception {
    ClientConfig config =
        ClientConfig.to("127.0.0.1:" + freePort()).withCallTimeout(Duration.ofMillis(300));
    try (Client client = Client.open(config)) {
      EtcdException error = failure(client.kv().get(KEY));
      assertEquals(RpcError.Code.DEADLINE_EXCEEDED, error.code());
      assertEquals("context deadline exceeded", error.text());
    }
  }

  @Test
  void tooLargeARequestIsNotSent() {
    Refusing member = new Refusing(0, NO_LEADER);
    try (FaultyServer server = FaultyServer.start(0, member);
        Client client =
            Client.open(ClientConfig.to(server.endpoint()).withLimits(new Limits(8, 1 << 20)))) {
      EtcdException error = failure(client.kv().put(KEY, ByteString.copyFromUtf8("a long value")));
      assertEquals(RpcError.Code.RESOURCE_EXHAUSTED, error.code());
      assertEquals("trying to send message larger than max (17 vs. 8)", error.text());
      assertEquals(0, member.requests.get());
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static EtcdException failure(CompletableFuture<?> future) {
    ExecutionException error = assertThrows(ExecutionException.class, future::get);
    return assertInstanceOf(EtcdException.class, error.getCause());
  }
}
