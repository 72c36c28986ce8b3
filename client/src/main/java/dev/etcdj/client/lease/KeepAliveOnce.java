package dev.etcdj.client.lease;

import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.Errors;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.status.RpcError;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;

/// One renewal on a stream of its own.
final class KeepAliveOnce
    extends ClientCall.Listener<dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse> {
  private final CompletableFuture<LeaseKeepAliveResponse> future = new CompletableFuture<>();

  private KeepAliveOnce() {}

  static CompletableFuture<LeaseKeepAliveResponse> start(Calls calls, long id) {
    var call = calls.boundedStream(LeaseGrpc.getLeaseKeepAliveMethod());
    KeepAliveOnce once = new KeepAliveOnce();
    call.start(once, new Metadata());
    call.request(1);
    call.sendMessage(LeaseKeepAliveRequest.newBuilder().setID(id).build());
    call.halfClose();
    return once.future.whenComplete((response, error) -> call.cancel("answered", null));
  }

  @Override
  public void onMessage(dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse wire) {
    LeaseKeepAliveResponse response = LeaseKeepAliveResponse.of(wire);
    if (response.ttlSeconds() <= 0) {
      future.completeExceptionally(RpcError.LEASE_NOT_FOUND.exception());
    } else {
      future.complete(response);
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    future.completeExceptionally(
        status.isOk() ? RpcError.LEASE_NOT_FOUND.exception() : Errors.of(status));
  }
}
