package dev.etcdj.server.membership;

import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.proto.membershippb.ClusterMemberAttrSetRequest;
import dev.etcdj.proto.membershippb.ClusterVersionSetRequest;
import dev.etcdj.raft.ConfChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Who is in the cluster. Changed by the apply loop alone, read by any thread.
public interface Membership {
  /// This member's id.
  long self();

  /// Id of the cluster, fixed for life (CLUS-3).
  long clusterId();

  /// All members ascending by id.
  List<Member> members();

  /// The member of that id, or null.
  @Nullable Member member(long id);

  /// Whether `id` was a member once and never may be again.
  boolean isRemoved(long id);

  /// `major.minor.patch`, or null until decided (RAFT-161).
  @Nullable String clusterVersion();

  /// Applies a committed change to the member records, writing to `unit`. Apply loop only.
  ///
  /// @return the change to put into force in raft: the given one, or one that does nothing when
  ///     it is refused (RAFT-125)

  Applied apply(ConfChange change, WriteUnit unit);

  /// @param refusal null when the change was made
  record Applied(ConfChange effective, dev.etcdj.proto.status.@Nullable EtcdException refusal) {}

  /// Name and client URLs of a member that has started (RAFT-160). Apply loop only.
  void apply(ClusterMemberAttrSetRequest request, WriteUnit unit);

  /// The cluster version. Apply loop only.
  void apply(ClusterVersionSetRequest request, WriteUnit unit);
}
