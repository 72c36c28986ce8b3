package dev.etcdj.simulation.world;

import dev.etcdj.server.config.ServerConfig;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// The settings of a simulated member.
final class Configs {
  static final int HEARTBEAT_MILLIS = 100;
  static final int ELECTION_MILLIS = 1_000;
  private static final long MILLI = 1_000_000L;

  private Configs() {}

  /// Peer URL of the member of that number.
  static String peerUrl(int number) {
    return "http://m" + number + ":2380";
  }

  static Path walFolder(ServerConfig config) {
    return config.dataDir().resolve("member").resolve("wal");
  }

  static ServerConfig of(Scenario scenario, int number) {
    SequencedMap<String, List<URI>> cluster = new LinkedHashMap<>();
    for (int i = 1; i <= scenario.members(); i++) {
      cluster.put("m" + i, List.of(URI.create(peerUrl(i))));
    }
    List<URI> client = List.of(URI.create("http://m" + number + ":2379"));
    List<URI> peer = List.of(URI.create(peerUrl(number)));
    return new ServerConfig(
        "m" + number,
        Path.of("/sim/m" + number),
        client,
        client,
        peer,
        peer,
        cluster,
        "sim",
        ServerConfig.ClusterState.NEW,
        scenario.snapshotCount(),
        scenario.catchupEntries(),
        HEARTBEAT_MILLIS,
        ELECTION_MILLIS,
        0,
        1_572_864,
        128,
        scenario.preVote(),
        true,
        false,
        2_000 * MILLI,
        7,
        5 * MILLI,
        100 * MILLI,
        scenario.tinyBatches() ? 5 : 10_000,
        scenario.segmentBytes(),
        "off");
  }
}
