package dev.etcdj.etcdctl;

import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.DeleteRangeResponse;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.PutResponse;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/// Runs the common commands once against an empty answer on a loopback port, so that the JVM can
/// record which classes a start needs (its ahead-of-time cache). Run by the launcher after a build.
final class Rehearsal {
  private Rehearsal() {}

  public static void main(String[] args) throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Silent())
            .build()
            .start();
    String endpoint = "--endpoints=127.0.0.1:" + server.getPort();
    run(List.of("put", "key", "value", endpoint));
    run(List.of("get", "key", endpoint));
    run(List.of("get", "key", "--prefix", "-w", "json", endpoint));
    run(List.of("get", "key", "-w", "fields", endpoint));
    run(List.of("del", "key", endpoint));
    run(List.of("version"));
    server.shutdownNow();
  }

  private static void run(List<String> args) {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            Map.of());
    int exit = Main.run(args, console);
    if (exit != 0) {
      throw new IllegalStateException("rehearsal of " + args + " ended with " + exit);
    }
  }

  /// Answers with nothing.
  private static final class Silent extends KVGrpc.KVImplBase {
    @Override
    public void put(PutRequest request, StreamObserver<PutResponse> answer) {
      answer.onNext(PutResponse.getDefaultInstance());
      answer.onCompleted();
    }

    @Override
    public void range(RangeRequest request, StreamObserver<RangeResponse> answer) {
      answer.onNext(RangeResponse.getDefaultInstance());
      answer.onCompleted();
    }

    @Override
    public void deleteRange(
        DeleteRangeRequest request, StreamObserver<DeleteRangeResponse> answer) {
      answer.onNext(DeleteRangeResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
