package dev.etcdj.server.apply;

import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.proto.leasepb.Lease;
import dev.etcdj.proto.membershippb.ClusterMemberAttrSetRequest;
import dev.etcdj.proto.membershippb.ClusterVersionSetRequest;
import dev.etcdj.proto.membershippb.DowngradeInfoSetRequest;
import dev.etcdj.proto.status.EtcdException;
import java.util.List;

/// What a normal entry asks of the state machine.
public sealed interface Command {
  /// One put.
  record Put(Op.Put op) implements Command {}

  /// One deletion.
  record DeleteRange(Op.DeleteRange op) implements Command {}

  /// @param cost bytes counted against the quota; 0 when neither branch puts anything (KV-121)
  record Txn(dev.etcdj.mvcc.txn.Txn txn, long cost) implements Command {}

  /// A read that went through the log; members of old wrote such entries.
  record Range(dev.etcdj.mvcc.RangeQuery query) implements Command {}

  /// Sets the compacted revision.
  record Compact(long revision) implements Command {}

  /// `ttlSeconds` as asked for.
  record LeaseGrant(long id, long ttlSeconds) implements Command {}

  /// Ends a lease and its keys.
  record LeaseRevoke(long id) implements Command {}

  /// @param leases id and remaining TTL of each, the rest is not set
  record LeaseCheckpoint(List<Lease> leases) implements Command {}

  /// Wire numbers as they came: unknown kinds can be stored (MAINT-33).
  record Alarm(int action, long memberId, int kind) implements Command {}

  /// A member publishes itself.
  record MemberAttributes(ClusterMemberAttrSetRequest request) implements Command {}

  /// The cluster version is decided.
  record ClusterVersion(ClusterVersionSetRequest request) implements Command {}

  /// A downgrade job begins or ends.
  record Downgrade(DowngradeInfoSetRequest request) implements Command {}

  /// Has no effect on any member.
  record Nothing() implements Command {}

  /// Cannot be done and is refused alike everywhere: nothing that passes validation becomes one.
  record Invalid(EtcdException why) implements Command {}
}
