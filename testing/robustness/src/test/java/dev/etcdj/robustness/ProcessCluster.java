package dev.etcdj.robustness;

import dev.etcdj.proto.etcdserverpb.HashKVRequest;
import dev.etcdj.proto.etcdserverpb.HashKVResponse;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.MaintenanceGrpc;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.testkit.FreePorts;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A cluster of member processes on loopback ports, with one channel to each.
final class ProcessCluster implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(120);

  private final List<MemberProcess> members = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();

  /// @param flags further flags for every member
  ProcessCluster(Path folder, int size, String... flags) throws Exception {
    List<String> clients = new ArrayList<>();
    List<String> peers = new ArrayList<>();
    List<String> initial = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int port = FreePorts.next();
      ports.add(port);
      clients.add("http://127.0.0.1:" + port);
      peers.add("http://127.0.0.1:" + FreePorts.next());
      initial.add("m" + i + "=" + peers.get(i));
    }
    for (int i = 0; i < size; i++) {
      List<String> arguments =
          new ArrayList<>(
              List.of(
                  "--name", "m" + i,
                  "--data-dir", folder.resolve("m" + i).toString(),
                  "--listen-client-urls", clients.get(i),
                  "--advertise-client-urls", clients.get(i),
                  "--listen-peer-urls", peers.get(i),
                  "--initial-advertise-peer-urls", peers.get(i),
                  "--initial-cluster", String.join(",", initial)));
      arguments.addAll(List.of(flags));
      members.add(
          new MemberProcess(
              folder.resolve("m" + i + ".log"), clients.get(i), List.of(), arguments));
      channels.add(
          NettyChannelBuilder.forAddress("127.0.0.1", ports.get(i))
              .usePlaintext()
              .maxInboundMessageSize(64 << 20)
              .build());
    }
  }

  void start() throws Exception {
    for (MemberProcess member : members) {
      member.start();
    }
    awaitHealthy();
  }

  void awaitHealthy() throws Exception {
    for (MemberProcess member : members) {
      member.awaitHealthy(START);
    }
  }

  int size() {
    return members.size();
  }

  MemberProcess member(int i) {
    return members.get(i);
  }

  ManagedChannel channel(int i) {
    return channels.get(i);
  }

  /// Makes a gRPC channel that backs off from a dead member try again at once.
  void reconnect() {
    channels.forEach(ManagedChannel::resetConnectBackoff);
  }

  /// The current revision, by a linearizable read through member `i`.
  long revision(int i) {
    return KVGrpc.newBlockingStub(channel(i))
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .withWaitForReady()
        .range(
            RangeRequest.newBuilder()
                .setKey(com.google.protobuf.ByteString.copyFromUtf8("x"))
                .setCountOnly(true)
                .build())
        .getHeader()
        .getRevision();
  }

  /// HashKV of member `i` at `revision`, which it has applied.
  HashKVResponse hash(int i, long revision) {
    return MaintenanceGrpc.newBlockingStub(channel(i))
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .withWaitForReady()
        .hashKV(HashKVRequest.newBuilder().setRevision(revision).build());
  }

  @Override
  public void close() throws Exception {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow();
    }
    for (MemberProcess member : members) {
      member.close();
    }
  }
}
