package dev.etcdj.server.rpc;

import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantResponse;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseLeasesRequest;
import dev.etcdj.proto.etcdserverpb.LeaseLeasesResponse;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeResponse;
import dev.etcdj.proto.etcdserverpb.LeaseStatus;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveResponse;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.apply.Commands;
import dev.etcdj.server.lease.LeaseRenewals;
import dev.etcdj.server.lease.Lessor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;

/// `etcdserverpb.Lease`.
final class LeaseService {
  private static final String NAME = "etcdserverpb.Lease";

  private final Core core;
  private final Gate gate;
  private final LeaderWatch leaderWatch;

  LeaseService(Core core, Gate gate, LeaderWatch leaderWatch) {
    this.core = core;
    this.gate = gate;
    this.leaderWatch = leaderWatch;
  }

  ServerServiceDefinition definition() {
    return new ServiceBuilder(NAME, gate)
            .unary(
                "LeaseGrant",
                LeaseGrantRequest.getDefaultInstance(),
                Gate.OnLearner.REFUSED,
                new Grant())
            .unary(
                "LeaseRevoke",
                LeaseRevokeRequest.getDefaultInstance(),
                Gate.OnLearner.REFUSED,
                new Revoke())
            .unary(
                "LeaseTimeToLive",
                LeaseTimeToLiveRequest.getDefaultInstance(),
                Gate.OnLearner.REFUSED,
                this::timeToLive)
            .unary(
                "LeaseLeases",
                LeaseLeasesRequest.getDefaultInstance(),
                Gate.OnLearner.REFUSED,
                this::leases)
            .stream(
                MethodType.BIDI_STREAMING,
                "LeaseKeepAlive",
                LeaseKeepAliveRequest.getDefaultInstance(),
                (call, metadata) -> new KeepAliveCall(core, call, metadata, leaderWatch))
            .build();
  }

  private final class Grant implements UnaryMethod<LeaseGrantRequest> {
    @Override
    public void start(UnaryCall<LeaseGrantRequest> call, LeaseGrantRequest request) {
      if (!core.quota().allows(Commands.LEASE_BYTES)) {
        core.failNoSpace(call);
        return;
      }
      LeaseGrantRequest named = request;
      if (request.getID() == 0) {
        // A request id without its top bit is positive and nobody else's (LEASE-11).
        named = request.toBuilder().setID(core.ids().next() & Long.MAX_VALUE).build();
      }
      call.waitsFor(
          core.proposer().propose(InternalRaftRequest.LEASE_GRANT_FIELD_NUMBER, named, call));
    }

    @Override
    public void applied(UnaryCall<LeaseGrantRequest> call, ApplyResult result) {
      if (!(result instanceof ApplyResult.Granted granted)) {
        throw new IllegalStateException("a grant came to " + result);
      }
      call.reply(
          LeaseGrantResponse.newBuilder()
              .setHeader(core.headers().message(granted.revision()))
              .setID(granted.id())
              .setTTL(granted.ttlSeconds())
              .build());
    }
  }

  private final class Revoke implements UnaryMethod<LeaseRevokeRequest> {
    @Override
    public void start(UnaryCall<LeaseRevokeRequest> call, LeaseRevokeRequest request) {
      call.waitsFor(
          core.proposer().propose(InternalRaftRequest.LEASE_REVOKE_FIELD_NUMBER, request, call));
    }

    @Override
    public void applied(UnaryCall<LeaseRevokeRequest> call, ApplyResult result) {
      if (!(result instanceof ApplyResult.Revoked revoked)) {
        throw new IllegalStateException("a revoke came to " + result);
      }
      call.reply(
          LeaseRevokeResponse.newBuilder()
              .setHeader(core.headers().message(revoked.revision()))
              .build());
    }
  }

  private void timeToLive(UnaryCall<LeaseTimeToLiveRequest> call, LeaseTimeToLiveRequest request) {
    core.leases()
        .timeToLive(
            request.getID(),
            request.getKeys(),
            new LeaseRenewals.TimeToLiveCallback() {
              @Override
              public void done(Lessor.TimeToLive found) {
                call.loop().execute(() -> call.reply(timeToLive(request.getID(), found)));
              }

              @Override
              public void failed(EtcdException why) {
                call.failed(why);
              }
            });
  }

  private LeaseTimeToLiveResponse timeToLive(long id, Lessor.TimeToLive found) {
    return LeaseTimeToLiveResponse.newBuilder()
        .setHeader(header())
        .setID(id)
        .setTTL(found.remainingSeconds())
        .setGrantedTTL(found.ttlSeconds())
        .addAllKeys(found.keys())
        .build();
  }

  private void leases(UnaryCall<LeaseLeasesRequest> call, LeaseLeasesRequest request) {
    LeaseLeasesResponse.Builder response = LeaseLeasesResponse.newBuilder().setHeader(header());
    for (long id : core.stores().lessor().ids()) {
      response.addLeases(LeaseStatus.newBuilder().setID(id));
    }
    call.reply(response.build());
  }

  private ResponseHeader header() {
    return core.headers().message(core.stores().kv().revision());
  }
}
