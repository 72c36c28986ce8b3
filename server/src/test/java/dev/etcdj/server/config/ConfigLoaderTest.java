package dev.etcdj.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Flags, environment and their refusals; texts and exit codes as etcd 3.7.1 prints them.
class ConfigLoaderTest {
  private static ServerConfig load(Map<String, String> environment, String... arguments)
      throws ConfigException {
    return switch (new ConfigLoader(environment, "v").load(arguments)) {
      case ConfigLoader.Request.Run(ServerConfig config) -> config;
      case ConfigLoader.Request.Print print -> throw new AssertionError(print.text());
    };
  }

  @Test
  void defaultsAreEtcds() throws Exception {
    ServerConfig config = load(Map.of());
    assertEquals("default", config.name());
    assertEquals(Path.of("default.etcd"), config.dataDir());
    assertEquals(List.of(URI.create("http://localhost:2379")), config.listenClientUrls());
    assertEquals(
        Map.of("default", List.of(URI.create("http://localhost:2380"))), config.initialCluster());
    assertEquals(10_000, config.snapshotCount());
    assertEquals(10, config.electionTicks());
    assertEquals(7_000_000_000L, config.requestTimeoutNanos());
  }

  @Test
  void environmentStandsInForFlags() throws Exception {
    ServerConfig config =
        load(Map.of("ETCD_NAME", "m1", "ETCD_SNAPSHOT_COUNT", "7", "ETCD_UNKNOWN", "x"));
    assertEquals("m1", config.name());
    assertEquals(7, config.snapshotCount());
  }

  @Test
  void oneDashIsAsGoodAsTwo() throws Exception {
    assertEquals("m1", load(Map.of(), "-name", "m1", "-pre-vote=false").name());
  }

  @Test
  void aMemberMayHaveSeveralUrls() throws Exception {
    ServerConfig config =
        load(Map.of(), "--initial-cluster", "a=http://h:1,b=http://h:2,a=http://h:3");
    assertEquals(
        List.of(URI.create("http://h:1"), URI.create("http://h:3")),
        config.initialCluster().get("a"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --bogus                                   | 2 | flag provided but not defined: -bogus
          extra-arg                                 | 1 | "extra-arg" is not a valid flag
          --listen-client-urls=foo                  | 2 | invalid value "foo" for flag -listen-client-urls: URL scheme must be http, https, unix, or unixs: foo
          --listen-client-urls=http://1.2.3.4:1     | 1 | --advertise-client-urls is required when --listen-client-urls is set explicitly
          --listen-peer-urls=http://example.com:1   | 1 | expected IP in URL for binding (http://example.com:1)
          --initial-cluster-state=foo               | 2 | invalid value "foo" for flag -initial-cluster-state: must be new or existing
          --heartbeat-interval=0                    | 1 | --heartbeat-interval must be >0 (set to 0ms)
          --heartbeat-interval=500                  | 1 | --election-timeout[1000ms] should be at least as 5 times as --heartbeat-interval[500ms]
          --election-timeout=60000                  | 1 | --election-timeout[60000ms] is too long, and should be set less than 50000ms
          --log-level=loud                          | 1 | unrecognized level: "loud"
          --initial-cluster=a                       | 1 | error setting up initial cluster: empty or malformed member "a"
          """)
  void refusals(String argument, int exitCode, String text) {
    ConfigException refused = assertThrows(ConfigException.class, () -> load(Map.of(), argument));
    assertEquals(text, refused.getMessage());
    assertEquals(exitCode, refused.exitCode());
  }

  @Test
  void aFlagAndItsVariableAtOnceAreRefused() {
    ConfigException refused =
        assertThrows(ConfigException.class, () -> load(Map.of("ETCD_NAME", "x"), "--name", "y"));
    assertTrue(refused.getMessage().startsWith("conflicting environment variable"));
    assertEquals(1, refused.exitCode());
  }

  @ParameterizedTest
  @CsvSource({"1m30s,90000000000", "100ms,100000000", "1.5h,5400000000000", "0,0", "2us,2000"})
  void durations(String text, long nanos) {
    assertEquals(nanos, Durations.parse(text));
  }

  @ParameterizedTest
  @CsvSource({"10", "1x", "''", "1s2", "s"})
  void noDurations(String text) {
    assertThrows(IllegalArgumentException.class, () -> Durations.parse(text));
  }
}
