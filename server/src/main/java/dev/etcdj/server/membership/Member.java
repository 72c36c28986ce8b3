package dev.etcdj.server.membership;

import java.util.List;

/// One member of the cluster as all members know it. A member that has not started yet has an
/// empty name and no client URLs (CLUS-52).
public record Member(
    long id, String name, List<String> peerUrls, List<String> clientUrls, boolean learner) {
  public Member {
    peerUrls = List.copyOf(peerUrls);
    clientUrls = List.copyOf(clientUrls);
  }

  /// Whether it has published itself.
  public boolean started() {
    return !name.isEmpty();
  }
}
