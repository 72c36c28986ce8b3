package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Guarantees an answer to calls that no client library makes, where a real 3.7.1 leaves some
/// hanging (README of the semantics, last section).
class MisuseTest {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
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

  private TestMember member;

  @BeforeEach
  void start() throws Exception {
    member = new TestMember(-1);
  }

  @AfterEach
  void stop() throws Exception {
    member.close();
  }

  private Status call(MethodDescriptor<?, ?> method, boolean halfClose, byte[]... messages)
      throws Exception {
    ClientCall<byte[], byte[]> call =
        member.channel.newCall(
            MethodDescriptor.newBuilder(BYTES, BYTES)
                .setType(method.getType())
                .setFullMethodName(method.getFullMethodName())
                .build(),
            CallOptions.DEFAULT);
    CompletableFuture<Status> end = new CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    call.request(10);
    for (byte[] message : messages) {
      call.sendMessage(message);
    }
    if (halfClose) {
      call.halfClose();
    }
    return end.get(10, TimeUnit.SECONDS);
  }

  @Test
  void everyCallIsAnswered() throws Exception {
    byte[] garbage = {10, 100, 1};
    byte[] key =
        RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("a")).build().toByteArray();
    assertEquals(Status.Code.INTERNAL, call(KVGrpc.getPutMethod(), true).getCode());
    assertEquals(Status.Code.INTERNAL, call(KVGrpc.getPutMethod(), true, garbage).getCode());
    assertEquals(Status.Code.INTERNAL, call(KVGrpc.getRangeStreamMethod(), true).getCode());
    assertEquals(
        Status.Code.INTERNAL, call(KVGrpc.getRangeStreamMethod(), true, garbage).getCode());
    assertEquals(Status.Code.INTERNAL, call(WatchGrpc.getWatchMethod(), false, garbage).getCode());
    Status twice = call(KVGrpc.getRangeMethod(), false, key, key);
    assertFalse(twice.isOk());
    byte[] large = new byte[2_097_153];
    assertEquals(
        Status.Code.RESOURCE_EXHAUSTED, call(KVGrpc.getPutMethod(), true, large).getCode());
    assertEquals(Status.Code.OK, call(KVGrpc.getRangeMethod(), true, key).getCode());
  }
}
