package dev.etcdj.server;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.membershippb.ClusterVersionSetRequest;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.peer.PeerClient;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.raftnode.RaftHandle;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Decides the cluster version, on the leader: the lowest of all members' versions, or 3.0.0 while
/// one is unknown and nothing is decided yet; raised when all are known, never lowered (RAFT-161).
final class ClusterVersions {
  private static final long PERIOD_NANOS = 4_000_000_000L;
  private static final long ASK_NANOS = 2_000_000_000L;
  private static final String LOWEST = "3.0.0";

  private final Membership membership;
  private final RaftHandle raft;
  private final Proposer proposer;
  private final PeerClient client;
  private final String ownVersion;

  ClusterVersions(
      Membership membership,
      RaftHandle raft,
      Proposer proposer,
      PeerClient client,
      String ownVersion) {
    this.membership = membership;
    this.raft = raft;
    this.proposer = proposer;
    this.client = client;
    this.ownVersion = ownVersion;
  }

  void start(Timers timers) {
    timers.every(PERIOD_NANOS, this::decide);
  }

  /// Also called when a leader has begun its term. Any thread; does not block.
  void decide() {
    if (!raft.view().isLeader()) {
      return;
    }
    List<CompletableFuture<@Nullable String>> asked = new ArrayList<>();
    for (Member member : membership.members()) {
      asked.add(
          member.id() == membership.self()
              ? CompletableFuture.completedFuture(ownVersion)
              : ask(member));
    }
    CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenRun(() -> propose(asked.stream().map(CompletableFuture::join).toList()));
  }

  private CompletableFuture<@Nullable String> ask(Member member) {
    CompletableFuture<@Nullable String> version = CompletableFuture.completedFuture(null);
    for (String url : member.peerUrls()) {
      version =
          version.thenCompose(
              known ->
                  known != null
                      ? CompletableFuture.completedFuture(known)
                      : client
                          .call(
                              URI.create(url), "GET", "/version", new byte[0], "", ASK_NANOS, 4096)
                          .<@Nullable String>thenApply(ClusterVersions::serverVersion)
                          .exceptionally(_ -> null));
    }
    return version;
  }

  private static @Nullable String serverVersion(PeerClient.Response response) {
    if (response.status() != 200) {
      return null;
    }
    JsonObject json =
        JsonParser.parseString(new String(response.body(), StandardCharsets.UTF_8))
            .getAsJsonObject();
    return json.get("etcdserver").getAsString();
  }

  private void propose(List<@Nullable String> versions) {
    String decided = membership.clusterVersion();
    boolean allKnown = versions.stream().allMatch(Objects::nonNull);
    String lowest = LOWEST;
    if (allKnown) {
      lowest =
          versions.stream()
              .filter(Objects::nonNull)
              .map(ClusterVersions::minor)
              .min((a, b) -> Integer.compare(number(a), number(b)))
              .orElse(LOWEST);
    } else if (decided != null) {
      return;
    }
    if (decided == null || number(lowest) > number(decided)) {
      var _ =
          proposer.propose(
              InternalRaftRequest.CLUSTER_VERSION_SET_FIELD_NUMBER,
              ClusterVersionSetRequest.newBuilder().setVer(lowest).build(),
              _ -> {});
    }
  }

  /// `3.7.1` → `3.7.0`.
  private static String minor(String version) {
    return version.substring(0, version.lastIndexOf('.')) + ".0";
  }

  private static int number(String version) {
    String[] parts = version.split("\\.");
    return Integer.parseInt(parts[0]) * 1000 + Integer.parseInt(parts[1]);
  }
}
