package dev.etcdj.server.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.SequencedMap;

/// All settings of a member, validated. URLs are as given, parsed and re-printed (CLUS-6).
///
/// @param initialCluster peer URLs by member name
/// @param quotaBackendBytes 0: the default of 2 GiB; negative: none (KV-119)
public record ServerConfig(
    String name,
    Path dataDir,
    List<URI> listenClientUrls,
    List<URI> advertiseClientUrls,
    List<URI> listenPeerUrls,
    List<URI> initialAdvertisePeerUrls,
    SequencedMap<String, List<URI>> initialCluster,
    String initialClusterToken,
    ClusterState initialClusterState,
    long snapshotCount,
    long snapshotCatchupEntries,
    int heartbeatMillis,
    int electionMillis,
    long quotaBackendBytes,
    int maxRequestBytes,
    int maxTxnOps,
    boolean preVote,
    boolean initialElectionTickAdvance,
    boolean unsafeNoFsync,
    long watchProgressNotifyNanos,
    int compactionBatchLimit,
    long compactionSleepNanos,
    long backendBatchNanos,
    int backendBatchLimit,
    long walSegmentBytes,
    String logLevel) {

  /// How a member without data begins.
  public enum ClusterState {
    NEW,
    EXISTING
  }

  /// Ticks of an election timeout; a tick is one heartbeat interval (RAFT-110).
  public int electionTicks() {
    return electionMillis / heartbeatMillis;
  }

  /// 5 s and two election timeouts (RAFT-140).
  public long requestTimeoutNanos() {
    return (5_000L + 2L * electionMillis) * 1_000_000L;
  }
}
