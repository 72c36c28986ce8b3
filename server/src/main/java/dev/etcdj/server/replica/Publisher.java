package dev.etcdj.server.replica;

import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.membershippb.Attributes;
import dev.etcdj.proto.membershippb.ClusterMemberAttrSetRequest;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.config.Urls;
import dev.etcdj.server.membership.MemberIds;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.Timers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the cluster this member's name and client URLs, again and again until it has been applied
/// (RAFT-160). Only then may clients come.
final class Publisher {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);
  private static final long PAUSE_NANOS = 200_000_000L;

  private final ServerConfig config;
  private final long self;
  private final Proposer proposer;
  private final Timers timers;
  private final Runnable published;

  /// @param published runs once, on the apply loop; must not block
  Publisher(ServerConfig config, long self, Proposer proposer, Timers timers, Runnable published) {
    this.config = config;
    this.self = self;
    this.proposer = proposer;
    this.timers = timers;
    this.published = published;
  }

  void publish() {
    var request =
        ClusterMemberAttrSetRequest.newBuilder()
            .setMemberID(self)
            .setMemberAttributes(
                Attributes.newBuilder()
                    .setName(config.name())
                    .addAllClientUrls(Urls.texts(config.advertiseClientUrls())))
            .build();
    var _ =
        proposer.propose(
            InternalRaftRequest.CLUSTER_MEMBER_ATTR_SET_FIELD_NUMBER, request, this::outcome);
  }

  private void outcome(ApplyResult result) {
    if (result instanceof ApplyResult.Refused(var error)) {
      LOG.atWarn()
          .addKeyValue("local-member-id", MemberIds.hex(self))
          .addKeyValue("error", error.text())
          .log("failed to publish local member to cluster through raft");
      var _ = timers.after(PAUSE_NANOS, this::publish);
      return;
    }
    LOG.atInfo()
        .addKeyValue("local-member-id", MemberIds.hex(self))
        .addKeyValue("local-member-attributes", config.name())
        .log("published local member to cluster through raft");
    published.run();
  }
}
