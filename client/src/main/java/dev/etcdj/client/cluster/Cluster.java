package dev.etcdj.client.cluster;

import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.client.transport.Retry;
import dev.etcdj.proto.etcdserverpb.ClusterGrpc;
import dev.etcdj.proto.etcdserverpb.MemberListRequest;
import java.util.concurrent.CompletableFuture;

/// Who belongs to the cluster.
/// Thread: safe.
public final class Cluster {
  private final Calls calls;

  /// Over `calls`; see `Client.cluster`.
  public Cluster(Calls calls) {
    this.calls = calls;
  }

  /// The same API with other settings.
  public Cluster with(CallSettings settings) {
    return new Cluster(calls.with(settings));
  }

  /// Lists the members.
  ///
  /// @param serializable whether what the asked member knows will do
  public CompletableFuture<MemberListResponse> members(boolean serializable) {
    return calls.unary(
        ClusterGrpc.getMemberListMethod(),
        MemberListRequest.newBuilder().setLinearizable(!serializable).build(),
        Retry.READ,
        wire ->
            new MemberListResponse(
                ResponseHeader.of(wire.getHeader()),
                wire.getMembersList().stream().map(Member::of).toList()));
  }
}
