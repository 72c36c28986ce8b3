package dev.etcdj.client.cluster;

import java.util.List;

/// A member of the cluster.
///
/// @param id unsigned
/// @param name empty until it has started
/// @param clientUrls empty until it has started
/// Source: etcdserverpb.Member.
public record Member(
    long id, String name, List<String> peerUrls, List<String> clientUrls, boolean isLearner) {
  static Member of(dev.etcdj.proto.etcdserverpb.Member wire) {
    return new Member(
        wire.getID(),
        wire.getName(),
        List.copyOf(wire.getPeerURLsList()),
        List.copyOf(wire.getClientURLsList()),
        wire.getIsLearner());
  }

  /// Whether it has ever started.
  public boolean started() {
    return !name.isEmpty();
  }
}
