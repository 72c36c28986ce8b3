package dev.etcdj.server.main;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.server.Member;
import dev.etcdj.server.Version;
import dev.etcdj.server.config.ConfigLoader;
import dev.etcdj.server.config.ServerConfig;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/// Runs a member under a short load over real sockets, so that the JVM can record which classes a
/// member needs and how its hot methods behave (its ahead-of-time cache): the first seconds after a
/// start are then served much as the later ones. Run by the launcher after a build.
final class Rehearsal {
  private static final int IN_FLIGHT = 64;
  private static final int ROUNDS = 5;
  private static final int KEYS = 2_000;
  private static final ByteString VALUE = ByteString.copyFrom(new byte[256]);

  private final ManagedChannel channel;
  private final KVGrpc.KVFutureStub kv;

  private Rehearsal(ManagedChannel channel) {
    this.channel = channel;
    this.kv = KVGrpc.newFutureStub(channel);
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("etcd-j-rehearsal");
    try {
      rehearse(folder);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private static void rehearse(Path folder) throws Exception {
    int clientPort = freePort();
    String client = "http://127.0.0.1:" + clientPort;
    String peer = "http://127.0.0.1:" + freePort();
    ConfigLoader.Request request =
        new ConfigLoader(Map.of(), Version.text())
            .load(
                "--data-dir=" + folder.resolve("data"),
                "--log-level=error",
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=default=" + peer);
    if (!(request instanceof ConfigLoader.Request.Run(ServerConfig config))) {
      throw new IllegalStateException("not a configuration: " + request);
    }
    Main.setLevel(config.logLevel());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", clientPort).usePlaintext().build();
    try (Member _ = Member.start(config, Rehearsal::fail)) {
      new Rehearsal(channel).run();
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static int freePort() throws java.io.IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void fail(Throwable cause) {
    throw new IllegalStateException("the member failed", cause);
  }

  private void run() throws InterruptedException {
    StreamObserver<WatchRequest> watch = watchEverything();
    StreamObserver<LeaseKeepAliveRequest> keepAlives =
        LeaseGrpc.newStub(channel).leaseKeepAlive(new Ignore<LeaseKeepAliveResponse>());
    LeaseGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .leaseGrant(LeaseGrantRequest.newBuilder().setID(7).setTTL(600).build());
    for (int round = 0; round < ROUNDS; round++) {
      each(KEYS, i -> kv.put(put(i)));
      each(KEYS, i -> kv.range(RangeRequest.newBuilder().setKey(key(i)).build()));
      each(
          KEYS,
          i -> kv.range(RangeRequest.newBuilder().setKey(key(i)).setSerializable(true).build()));
      each(KEYS / 4, i -> kv.txn(txn(i)));
      each(10, _ -> kv.range(page()));
      each(4, _ -> kv.range(page().toBuilder().clearLimit().build()));
      for (int i = 0; i < KEYS / 4; i++) {
        keepAlives.onNext(LeaseKeepAliveRequest.newBuilder().setID(7).build());
      }
    }
    keepAlives.onCompleted();
    watch.onCompleted();
  }

  private StreamObserver<WatchRequest> watchEverything() {
    StreamObserver<WatchRequest> watch =
        WatchGrpc.newStub(channel).withWaitForReady().watch(new Ignore<WatchResponse>());
    watch.onNext(
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder()
                    .setKey(ByteString.copyFromUtf8("k"))
                    .setRangeEnd(ByteString.copyFromUtf8("l")))
            .build());
    return watch;
  }

  private static ByteString key(int i) {
    return ByteString.copyFromUtf8("k/%030d".formatted(i));
  }

  private static PutRequest put(int i) {
    return PutRequest.newBuilder().setKey(key(i)).setValue(VALUE).build();
  }

  private static TxnRequest txn(int i) {
    TxnRequest.Builder txn =
        TxnRequest.newBuilder()
            .addCompare(
                Compare.newBuilder()
                    .setTarget(Compare.CompareTarget.VERSION)
                    .setResult(Compare.CompareResult.GREATER)
                    .setKey(key(i))
                    .setVersion(0));
    for (int j = 0; j < 4; j++) {
      txn.addSuccess(RequestOp.newBuilder().setRequestPut(put(4 * i + j)));
    }
    return txn.build();
  }

  private static RangeRequest page() {
    return RangeRequest.newBuilder()
        .setKey(ByteString.copyFromUtf8("k"))
        .setRangeEnd(ByteString.copyFromUtf8("l"))
        .setLimit(1_000)
        .build();
  }

  private static void each(int count, IntFunction<ListenableFuture<?>> call)
      throws InterruptedException {
    Semaphore free = new Semaphore(IN_FLIGHT);
    for (int i = 0; i < count; i++) {
      free.acquire();
      call.apply(i).addListener(free::release, MoreExecutors.directExecutor());
    }
    free.acquire(IN_FLIGHT);
  }

  private static final class Ignore<T> implements StreamObserver<T> {
    @Override
    public void onNext(T message) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
