package dev.etcdj.server.durable;

import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.config.Urls;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.MemberIds;
import dev.etcdj.server.membership.MemberJson;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The members of a cluster that is bootstrapped, as `--initial-cluster` names them.
///
/// @param members ascending by id
public record InitialCluster(long self, long clusterId, List<Member> members) {

  /// @throws StartException when the settings contradict each other (CLUS-11)
  public static InitialCluster of(ServerConfig config) throws StartException {
    List<URI> own = config.initialCluster().get(config.name());
    if (own == null) {
      throw new StartException(
          "couldn't find local name \"%s\" in the initial cluster configuration"
              .formatted(config.name()));
    }
    requireDistinctUrls(config);
    requireAdvertised(config, own);
    List<Member> members = new ArrayList<>();
    config
        .initialCluster()
        .forEach(
            (name, urls) -> {
              List<String> texts = urls.stream().map(URI::toString).sorted().toList();
              long id = MemberIds.member(texts, config.initialClusterToken());
              members.add(new Member(id, name, texts, List.of(), false));
            });
    members.sort(Comparator.comparing(Member::id, Long::compareUnsigned));
    List<Long> ids = members.stream().map(Member::id).toList();
    long self = MemberIds.member(Urls.texts(own), config.initialClusterToken());
    return new InitialCluster(self, MemberIds.cluster(ids), List.copyOf(members));
  }

  /// The first entries of the log (CLUS-13).
  public List<RawNode.Peer> raftPeers() {
    return members.stream()
        .map(
            member ->
                new RawNode.Peer(
                    member.id(),
                    Bytes.wrap(MemberJson.encodeContext(new MemberJson.Context(member, false)))))
        .toList();
  }

  private static void requireDistinctUrls(ServerConfig config) throws StartException {
    Set<URI> seen = new HashSet<>();
    for (List<URI> urls : config.initialCluster().values()) {
      for (URI url : urls) {
        if (!seen.add(url)) {
          throw new StartException("initial cluster %s has duplicate url".formatted(text(config)));
        }
      }
    }
  }

  private static void requireAdvertised(ServerConfig config, List<URI> own) throws StartException {
    Set<URI> listed = Set.copyOf(own);
    Set<URI> advertised = Set.copyOf(config.initialAdvertisePeerUrls());
    if (!listed.equals(advertised)) {
      throw new StartException(
          "--initial-cluster has %s but missing from --initial-advertise-peer-urls=%s"
              .formatted(
                  own.stream()
                      .map(url -> config.name() + "=" + url)
                      .collect(Collectors.joining(",")),
                  String.join(",", Urls.texts(config.initialAdvertisePeerUrls()))));
    }
  }

  private static String text(ServerConfig config) {
    return config.initialCluster().entrySet().stream()
        .flatMap(entry -> entry.getValue().stream().map(url -> entry.getKey() + "=" + url))
        .sorted()
        .collect(Collectors.joining(","));
  }
}
