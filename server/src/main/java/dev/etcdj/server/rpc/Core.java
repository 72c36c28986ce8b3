package dev.etcdj.server.rpc;

import dev.etcdj.mvcc.watch.WatchHub;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.apply.Applier;
import dev.etcdj.server.apply.Quota;
import dev.etcdj.server.apply.Stores;
import dev.etcdj.server.lease.LeaseRenewals;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.RequestIds;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.read.LinearizableReads;

/// The parts of a member that its services stand on.
///
/// @param timers for what the services check now and then
public record Core(
    Limits limits,
    Stores stores,
    Applier applier,
    Quota quota,
    Membership membership,
    RaftHandle raft,
    Proposer proposer,
    LinearizableReads reads,
    LeaseRenewals leases,
    WatchHub watches,
    RequestIds ids,
    Timers timers,
    Headers headers,
    BigReads bigReads) {

  /// @param version as reported by Status (CLUS-130)
  /// @param quotaConfiguredBytes as configured (CLUS-131)
  public record Limits(
      String version,
      int maxTxnOps,
      int maxRequestBytes,
      long quotaConfiguredBytes,
      long electionTimeoutNanos) {}

  /// Answers "database space exceeded" once the alarm is up, or at once when it is (KV-120).
  void failNoSpace(UnaryCall<?> call) {
    Runnable answer = () -> call.failed(RpcError.NO_SPACE.exception());
    if (stores
        .alarms()
        .isActive(membership.self(), dev.etcdj.proto.etcdserverpb.AlarmType.NOSPACE)) {
      answer.run();
    } else {
      proposer.raiseNoSpace(answer);
    }
  }
}
