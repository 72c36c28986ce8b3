package dev.etcdj.server.peer;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;

/// Who a member is to its peers, and how it says so in each request (CLUS-110).
///
/// @param version full version, e.g. `3.7.1`
/// @param peerUrls advertised URLs, as others are to dial them
public record PeerIdentity(long self, long clusterId, String version, List<String> peerUrls) {
  static final String SERVER_FROM = "X-Server-From";
  static final String SERVER_VERSION = "X-Server-Version";
  static final String MIN_CLUSTER_VERSION = "X-Min-Cluster-Version";
  static final String CLUSTER_ID = "X-Etcd-Cluster-ID";
  static final String PEER_URLS = "X-PeerURLs";
  static final String RAFT_TO = "X-Raft-To";

  /// The lowest cluster version this member speaks to, and what it tells others.
  static final String OWN_MIN_CLUSTER_VERSION = "3.0.0";

  public PeerIdentity {
    peerUrls = List.copyOf(peerUrls);
  }

  /// The cluster's id as text.
  String clusterHex() {
    return Long.toHexString(clusterId);
  }

  /// Adds what every raft request carries.
  void describe(HttpHeaders headers) {
    headers.set(SERVER_FROM, Long.toHexString(self));
    headers.set(SERVER_VERSION, version);
    headers.set(MIN_CLUSTER_VERSION, OWN_MIN_CLUSTER_VERSION);
    headers.set(CLUSTER_ID, clusterHex());
    headers.set(PEER_URLS, String.join(",", peerUrls));
  }

  /// Why a request with these headers is refused with status 412, or the empty string when it is
  /// welcome: first the version (CLUS-111), then the cluster (CLUS-112).
  String refusal(HttpHeaders headers) {
    if (!compatible(
        headers.get(SERVER_VERSION, "2.0.0"), headers.get(MIN_CLUSTER_VERSION, "2.0.0"))) {
      return "incompatible version";
    }
    return clusterHex().equals(headers.get(CLUSTER_ID)) ? "" : "cluster ID mismatch";
  }

  private boolean compatible(String theirs, String theirMinimum) {
    return minor(theirs) >= minor(OWN_MIN_CLUSTER_VERSION) && minor(theirMinimum) <= minor(version);
  }

  /// Major and minor as one comparable number; what is no version counts as the lowest.
  private static int minor(String version) {
    String[] parts = version.split("[.+-]", 4);
    try {
      return parts.length < 2
          ? 0
          : Integer.parseInt(parts[0]) * 10_000 + Integer.parseInt(parts[1]);
    } catch (NumberFormatException malformed) {
      return 0;
    }
  }
}
