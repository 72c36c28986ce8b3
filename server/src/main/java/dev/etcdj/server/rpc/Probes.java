package dev.etcdj.server.rpc;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import dev.etcdj.proto.etcdserverpb.AlarmType;
import dev.etcdj.proto.etcdserverpb.DowngradeInfo;
import dev.etcdj.proto.etcdserverpb.StatusResponse;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.apply.Quota;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.raftnode.RaftView;
import dev.etcdj.server.read.ReadCallback;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// What the member says about itself, for the Status call and for HTTP. Any thread; nothing
/// blocks.
public final class Probes {
  private final Core core;

  public Probes(Core core) {
    this.core = core;
  }

  /// CLUS-130..133.
  public StatusResponse status() {
    RaftView view = core.raft().view();
    Backend backend = core.stores().backend();
    StatusResponse.Builder status =
        StatusResponse.newBuilder()
            .setHeader(core.headers().message(core.stores().kv().revision()))
            .setVersion(core.limits().version())
            .setDbSize(backend.sizeBytes())
            .setDbSizeInUse(backend.sizeInUseBytes())
            .setLeader(view.leader())
            .setRaftIndex(view.committed())
            .setRaftTerm(core.applier().headerTerm())
            .setRaftAppliedIndex(core.applier().appliedIndex())
            .setIsLearner(isLearner())
            .setStorageVersion(storageVersion())
            .setDbSizeQuota(quotaBytes())
            .setDowngradeInfo(DowngradeInfo.getDefaultInstance());
    if (!view.hasLeader()) {
      status.addErrors(RpcError.NO_LEADER.text());
    }
    for (AlarmMember alarm : alarms()) {
      status.addErrors(text(alarm));
    }
    return status.build();
  }

  private long quotaBytes() {
    long configured = core.limits().quotaConfiguredBytes();
    return configured == 0 ? Quota.DEFAULT_BYTES : configured;
  }

  /// `major.minor.0` of the schema: it follows the cluster version (RAFT-164), empty until that is
  /// decided.
  public String storageVersion() {
    String cluster = core.membership().clusterVersion();
    return cluster == null ? "" : cluster;
  }

  /// In the text form of Go's protobuf library (CLUS-132).
  private static String text(AlarmMember alarm) {
    AlarmType type = alarm.getAlarm();
    String kind =
        type == AlarmType.UNRECOGNIZED ? Integer.toString(alarm.getAlarmValue()) : type.name();
    String member = Long.toUnsignedString(alarm.getMemberID());
    return alarm.getMemberID() == 0 ? "alarm:" + kind : "memberID:" + member + " alarm:" + kind;
  }

  /// Active alarms of all members.
  public List<AlarmMember> alarms() {
    return core.stores().alarms().all();
  }

  /// Whether any member has the CORRUPT alarm.
  public boolean corrupt() {
    return core.stores().alarms().corrupt();
  }

  public boolean hasLeader() {
    return core.raft().view().hasLeader();
  }

  public boolean isLearner() {
    Member self = core.membership().member(core.membership().self());
    return self != null && self.learner();
  }

  /// Completes when a linearizable read would be answered, exceptionally with the error it would
  /// get (an [EtcdException]).
  public CompletableFuture<Void> linearizableRead() {
    CompletableFuture<Void> result = new CompletableFuture<>();
    core.reads()
        .await(
            new ReadCallback() {
              @Override
              public void ready() {
                result.complete(null);
              }

              @Override
              public void failed(EtcdException why) {
                result.completeExceptionally(why);
              }
            });
    return result;
  }

  /// Reads one key locally; throws what a serializable Range would answer with.
  public void serializableRead() {
    var _ =
        core.stores()
            .kv()
            .range(
                dev.etcdj.mvcc.RangeQuery.of(
                    com.google.protobuf.ByteString.copyFromUtf8("health"),
                    com.google.protobuf.ByteString.EMPTY));
  }
}
