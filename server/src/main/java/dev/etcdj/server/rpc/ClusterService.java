package dev.etcdj.server.rpc;

import dev.etcdj.proto.etcdserverpb.Member;
import dev.etcdj.proto.etcdserverpb.MemberListRequest;
import dev.etcdj.proto.etcdserverpb.MemberListResponse;
import io.grpc.ServerServiceDefinition;

/// `etcdserverpb.Cluster`: so far the list.
final class ClusterService {
  private static final String NAME = "etcdserverpb.Cluster";

  private final Core core;
  private final Gate gate;

  ClusterService(Core core, Gate gate) {
    this.core = core;
    this.gate = gate;
  }

  ServerServiceDefinition definition() {
    return new ServiceBuilder(NAME, gate)
        .unary(
            "MemberList",
            MemberListRequest.getDefaultInstance(),
            Gate.OnLearner.REFUSED,
            new MemberList())
        .build();
  }

  /// CLUS-50..52.
  private final class MemberList implements UnaryMethod<MemberListRequest> {
    @Override
    public void start(UnaryCall<MemberListRequest> call, MemberListRequest request) {
      if (request.getLinearizable()) {
        core.reads().await(call);
      } else {
        readable(call);
      }
    }

    @Override
    public void readable(UnaryCall<MemberListRequest> call) {
      MemberListResponse.Builder response =
          MemberListResponse.newBuilder().setHeader(core.headers().message(0));
      for (var member : core.membership().members()) {
        response.addMembers(
            Member.newBuilder()
                .setID(member.id())
                .setName(member.name())
                .addAllPeerURLs(member.peerUrls())
                .addAllClientURLs(member.clientUrls())
                .setIsLearner(member.learner()));
      }
      call.reply(response.build());
    }
  }
}
