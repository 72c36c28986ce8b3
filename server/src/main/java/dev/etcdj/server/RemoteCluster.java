package dev.etcdj.server;

import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.durable.InitialCluster;
import dev.etcdj.server.durable.MemberStorage;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.MemberIds;
import dev.etcdj.server.membership.MemberJson;
import dev.etcdj.server.peer.PeerClient;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// What a running cluster says of itself to a member that has no data yet. Blocks; used before any
/// thread of the member runs.
record RemoteCluster(PeerClient client) implements MemberStorage.Joining {
  private static final String CLUSTER_ID = "X-Etcd-Cluster-ID";
  private static final long JOIN_NANOS = 10_000_000_000L;
  private static final long PROBE_NANOS = 1_000_000_000L;
  private static final int MAX_ANSWER_BYTES = 1 << 20;

  private record Answer(long clusterId, List<Member> members) {}

  /// Ids of the listed members as the cluster knows them (CLUS-14).
  @Override
  public InitialCluster join(ServerConfig config) throws StartException {
    InitialCluster listed = InitialCluster.of(config);
    Answer answer = firstAnswer(others(config), JOIN_NANOS);
    if (answer == null) {
      throw new StartException(
          "cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs");
    }
    if (answer.members().size() != listed.members().size()) {
      throw new StartException("error validating peerURLs: member count is unequal");
    }
    List<Member> known = new ArrayList<>();
    long self = 0;
    for (Member member : listed.members()) {
      Member remote = sameUrls(answer.members(), member);
      known.add(
          new Member(remote.id(), member.name(), member.peerUrls(), List.of(), remote.learner()));
      self = member.id() == listed.self() ? remote.id() : self;
    }
    known.sort(Comparator.comparing(Member::id, Long::compareUnsigned));
    return new InitialCluster(self, answer.clusterId(), List.copyOf(known));
  }

  /// A member that the others already know as started must not begin anew: its data is gone, and
  /// with it promises it made (CLUS-12). No answer means that the others begin too.
  @Override
  public void requireNew(ServerConfig config, InitialCluster cluster) throws StartException {
    Answer answer = firstAnswer(others(config), PROBE_NANOS);
    if (answer == null) {
      return;
    }
    for (Member member : answer.members()) {
      if (member.id() == cluster.self() && !member.clientUrls().isEmpty()) {
        throw new StartException(
            "member %s has already been bootstrapped".formatted(MemberIds.hex(cluster.self())));
      }
    }
  }

  private static Member sameUrls(List<Member> remotes, Member member) throws StartException {
    for (Member remote : remotes) {
      if (new HashSet<>(remote.peerUrls()).equals(new HashSet<>(member.peerUrls()))) {
        return remote;
      }
    }
    throw new StartException(
        "error validating peerURLs: unmatched member while checking PeerURLs %s"
            .formatted(member.peerUrls()));
  }

  private static List<URI> others(ServerConfig config) {
    return config.initialCluster().entrySet().stream()
        .filter(entry -> !entry.getKey().equals(config.name()))
        .flatMap(entry -> entry.getValue().stream())
        .sorted()
        .toList();
  }

  private @Nullable Answer firstAnswer(List<URI> urls, long timeoutNanos) {
    for (URI url : urls) {
      try {
        PeerClient.Response response =
            client
                .call(url, "GET", "/members", new byte[0], "", timeoutNanos, MAX_ANSWER_BYTES)
                .join();
        String clusterId = response.headers().get(CLUSTER_ID);
        if (response.status() == 200 && clusterId != null) {
          return new Answer(
              Long.parseUnsignedLong(clusterId, 16), MemberJson.decodeList(response.body()));
        }
      } catch (CompletionException | IllegalArgumentException e) {
        // This one does not answer, or not as a peer does; the next may.
      }
    }
    return null;
  }
}
