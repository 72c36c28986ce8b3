package dev.etcdj.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.PutResponse;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.proto.status.RpcError;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One port that speaks gRPC and HTTP/1.1: what each client gets, down to the bytes where etcd's
/// clients and probes look at them. The expected texts were seen on a real 3.7.1.
@Timeout(60)
class ClientPortTest {
  private static final int MAX_REQUEST_BYTES = 1 << 20;

  private final EventLoops loops = new EventLoops("test-port", 2);
  private final Probe probe = new Probe();
  private ClientPort port;
  private ManagedChannel grpc;
  private int number;

  @BeforeEach
  void open() throws IOException {
    Router router = new Router();
    new HealthEndpoints(probe, probe).addTo(router);
    router.add("GET", "/version", new Versions31().route());
    port =
        ClientPort.open(
            loops,
            List.of(URI.create("http://127.0.0.1:0")),
            List.of(new Kv().bindService(), new Watch().bindService()),
            router,
            ClientPort.Limits.withDefaults(MAX_REQUEST_BYTES),
            null);
    number = port.addresses().getFirst().getPort();
    grpc = NettyChannelBuilder.forAddress("127.0.0.1", number).usePlaintext().build();
  }

  @AfterEach
  void close() {
    grpc.shutdownNow();
    port.close();
    loops.close();
  }

  @Test
  void servesBothOnOnePort() throws IOException {
    assertEquals(
        7, KVGrpc.newBlockingStub(grpc).range(RangeRequest.getDefaultInstance()).getCount());
    assertTrue(
        http("GET /version")
            .endsWith(
                "\r\n\r\n{\"etcdserver\":\"3.7.1\",\"etcdcluster\":\"not_decided\",\"storage\":\"unknown\"}"));
    assertEquals(
        7, KVGrpc.newBlockingStub(grpc).range(RangeRequest.getDefaultInstance()).getCount());
  }

  @Test
  void answersPipelinedRequestsInOrderOnAKeptConnection() throws IOException {
    String answers =
        exchange(
            "GET /version HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50)
                + "POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                + "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertEquals(51, answers.split("HTTP/1.1 200 OK", -1).length - 1);
    assertTrue(answers.indexOf("404 page not found") > answers.lastIndexOf("etcdserver"));
    assertTrue(answers.endsWith("{\"health\":\"true\",\"reason\":\"\"}"));
  }

  @Test
  void bytesThatAreNeitherAreToldOffAndHurtNobody() throws IOException {
    Random random = new Random(5);
    for (int i = 0; i < 100; i++) {
      byte[] garbage = new byte[1 + random.nextInt(200)];
      random.nextBytes(garbage);
      garbage[0] = (byte) (garbage[0] | 0x80);
      String answer = exchange(garbage);
      assertTrue(answer.startsWith("HTTP/1.1 400 Bad Request\r\n"), answer);
    }
    assertTrue(exchange("AAAAAAAAAAAAAAAAAAAAAAAAAA").startsWith("HTTP/1.1 400"));
    assertTrue(exchange("GET / HTTP/1.1\r\nbad header\r\n\r\n\u0000").contains(" 40"));
    servesBothOnOnePort();
  }

  @Test
  void unknownPathsAndMethods() throws IOException {
    assertTrue(http("GET /v3/kv/range").contains("404 Not Found"));
    assertTrue(http("GET /nope").endsWith("\r\n\r\n404 page not found\n"));
    String wrong = http("POST /health");
    assertTrue(wrong.startsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
    assertTrue(wrong.contains("\r\nAllow: GET\r\n"));
    assertTrue(wrong.endsWith("\r\n\r\nMethod Not Allowed\n"));
    assertTrue(http("OPTIONS /anything").startsWith("HTTP/1.1 200 OK\r\n"));
    assertTrue(http("GET /health").contains("\r\nAccess-Control-Allow-Origin: *\r\n"));
  }

  @Test
  void bodiesAreBounded() throws IOException {
    String answer =
        exchange(
            "GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n"
                + "x".repeat(70000));
    assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
  }

  @Test
  void healthGoesThroughAlarmsThenLeaderThenARead() throws IOException {
    // MAINT-92, MAINT-93
    probe.alarms = List.of("NOSPACE");
    probe.leader = false;
    probe.linearizable = RpcError.TIMEOUT.exception();
    assertHealth("GET /health", 503, "{\"health\":\"false\",\"reason\":\"ALARM NOSPACE\"}\n");
    assertHealth(
        "GET /health?exclude=NOSPACE",
        503,
        "{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}\n");
    assertHealth(
        "GET /health?exclude=NOSPACE&serializable=true",
        200,
        "{\"health\":\"true\",\"reason\":\"\"}");
    probe.leader = true;
    assertHealth(
        "GET /health?exclude=NOSPACE&exclude=CORRUPT",
        503,
        "{\"health\":\"false\",\"reason\":\"RANGE ERROR:etcdserver: request timed out\"}\n");
    probe.alarms = List.of();
    probe.linearizable = null;
    assertHealth("GET /health", 200, "{\"health\":\"true\",\"reason\":\"\"}");
    assertEquals(2, probe.healthy);
    assertEquals(3, probe.unhealthy);
  }

  @Test
  void livezAndReadyzTellEachCheck() throws IOException {
    // MAINT-100 to MAINT-103
    assertHealth("GET /livez", 200, "ok\n");
    assertHealth("GET /livez?verbose", 200, "[+]serializable_read ok\nok\n");
    assertHealth(
        "GET /readyz?verbose",
        200,
        "[+]data_corruption ok\n[+]linearizable_read ok\n[+]non_learner ok\n"
            + "[+]serializable_read ok\nok\n");
    probe.alarms = List.of("CORRUPT", "NOSPACE");
    probe.linearizable = RpcError.LEADER_CHANGED.exception();
    probe.isLearner = true;
    assertHealth("GET /livez", 200, "ok\n");
    assertHealth(
        "GET /readyz",
        503,
        "[-]data_corruption failed: alarm activated: CORRUPT\n"
            + "[-]linearizable_read failed: etcdserver: leader changed\n"
            + "[-]non_learner failed: not supported for learner\n[+]serializable_read ok\n\n");
    assertHealth("GET /readyz/serializable_read", 200, "ok\n");
    assertHealth(
        "GET /readyz/non_learner", 503, "[-]non_learner failed: not supported for learner\n\n");
    assertHealth(
        "GET /readyz?exclude=data_corruption&exclude=linearizable_read&exclude=non_learner&exclude=x",
        200,
        "ok\n");
  }

  @Test
  void grpcErrorsBeforeAnyServiceReadAsGoWritesThem() {
    assertStatus(
        Status.Code.UNIMPLEMENTED,
        "unknown method Nope for service etcdserverpb.KV",
        "etcdserverpb.KV/Nope",
        new byte[0]);
    assertStatus(
        Status.Code.UNIMPLEMENTED, "unknown service nope.KV", "nope.KV/Range", new byte[0]);
    assertStatus(
        Status.Code.INTERNAL,
        "grpc: error unmarshalling request: proto: cannot parse invalid wire-format data",
        "etcdserverpb.KV/Range",
        new byte[] {-1, -1});
    int limit = MAX_REQUEST_BYTES + (512 << 10);
    byte[] large =
        PutRequest.newBuilder()
            .setValue(ByteString.copyFrom(new byte[limit]))
            .build()
            .toByteArray();
    assertStatus(
        Status.Code.RESOURCE_EXHAUSTED,
        "grpc: received message larger than max (" + large.length + " vs. " + limit + ")",
        "etcdserverpb.KV/Put",
        large);
    assertEquals(
        7, KVGrpc.newBlockingStub(grpc).range(RangeRequest.getDefaultInstance()).getCount());
  }

  @Test
  void anUnparsableMessageEndsItsStreamAlone() throws Exception {
    CompletableFuture<Status> ended = new CompletableFuture<>();
    StreamObserver<byte[]> requests =
        ClientCalls.asyncBidiStreamingCall(
            grpc.newCall(
                raw(MethodDescriptor.MethodType.BIDI_STREAMING, "etcdserverpb.Watch/Watch"),
                CallOptions.DEFAULT),
            new StreamObserver<>() {
              @Override
              public void onNext(byte[] value) {}

              @Override
              public void onError(Throwable failure) {
                ended.complete(Status.fromThrowable(failure));
              }

              @Override
              public void onCompleted() {}
            });
    requests.onNext(new byte[] {-1, -1});
    assertEquals(Status.Code.INTERNAL, ended.get().getCode());
    assertEquals(
        "grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data",
        ended.get().getDescription());
  }

  @Test
  void anAddressInUseIsNamed() {
    IOException failure =
        assertThrows(
            IOException.class,
            () ->
                ClientPort.open(
                    loops,
                    List.of(URI.create("http://127.0.0.1:" + number)),
                    List.of(),
                    new Router(),
                    ClientPort.Limits.withDefaults(1),
                    null));
    assertTrue(
        String.valueOf(failure.getMessage()).contains("127.0.0.1:" + number), failure.getMessage());
    assertTrue(String.valueOf(failure.getMessage()).contains("in use"), failure.getMessage());
  }

  private void assertStatus(Status.Code code, String text, String method, byte[] request) {
    StatusRuntimeException failure =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                ClientCalls.blockingUnaryCall(
                    (Channel) grpc,
                    raw(MethodDescriptor.MethodType.UNARY, method),
                    CallOptions.DEFAULT,
                    request));
    assertEquals(text, failure.getStatus().getDescription());
    assertEquals(code, failure.getStatus().getCode());
  }

  private static MethodDescriptor<byte[], byte[]> raw(
      MethodDescriptor.MethodType type, String name) {
    MethodDescriptor.Marshaller<byte[]> bytes =
        new MethodDescriptor.Marshaller<>() {
          @Override
          public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
          }

          @Override
          public byte[] parse(InputStream stream) {
            return new byte[0];
          }
        };
    return MethodDescriptor.newBuilder(bytes, bytes).setType(type).setFullMethodName(name).build();
  }

  private void assertHealth(String request, int status, String body) throws IOException {
    String answer = http(request);
    assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
    assertEquals(body, answer.substring(answer.indexOf("\r\n\r\n") + 4));
  }

  private String http(String request) throws IOException {
    return exchange(request + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  private String exchange(String request) throws IOException {
    return exchange(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  private String exchange(byte[] request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", number)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static final class Kv extends KVGrpc.KVImplBase {
    @Override
    public void range(RangeRequest request, StreamObserver<RangeResponse> answer) {
      answer.onNext(RangeResponse.newBuilder().setCount(7).build());
      answer.onCompleted();
    }

    @Override
    public void put(PutRequest request, StreamObserver<PutResponse> answer) {
      answer.onNext(PutResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }

  private static final class Watch extends WatchGrpc.WatchImplBase {
    @Override
    public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> answer) {
      return new StreamObserver<>() {
        @Override
        public void onNext(WatchRequest value) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
      };
    }
  }

  private static final class Versions31 implements Versions {
    @Override
    public String server() {
      return "3.7.1";
    }

    @Override
    public @Nullable String cluster() {
      return null;
    }

    @Override
    public @Nullable String storage() {
      return null;
    }
  }

  private static final class Probe implements HealthProbe, HealthCounts {
    volatile List<String> alarms = List.of();
    volatile boolean leader = true;
    volatile boolean isLearner;
    volatile @Nullable RuntimeException linearizable;
    volatile int healthy;
    volatile int unhealthy;

    @Override
    public List<String> alarms() {
      return alarms;
    }

    @Override
    public boolean hasLeader() {
      return leader;
    }

    @Override
    public boolean isLearner() {
      return isLearner;
    }

    @Override
    public CompletableFuture<Void> read(boolean needsLeader) {
      RuntimeException failure = linearizable;
      return needsLeader && failure != null
          ? CompletableFuture.failedFuture(failure)
          : CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized void health(boolean ok) {
      if (ok) {
        healthy++;
      } else {
        unhealthy++;
      }
    }

    @Override
    public void check(String endpoint, String name, boolean passed) {}
  }
}
