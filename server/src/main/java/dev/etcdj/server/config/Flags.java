package dev.etcdj.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/// The command line's grammar: names, defaults and help of every flag, as etcd has them. Each is
/// also read from `ETCD_<NAME>` in the environment. What the values mean is [ConfigLoader]'s.
@Command(
    name = "etcd-j",
    sortOptions = false,
    customSynopsis = {
      "etcd-j [flags]",
      "         Start a member.",
      "",
      "       etcd-j --version",
      "         Show the version.",
      "",
      "       etcd-j -h | --help",
      "         Show the help information."
    },
    optionListHeading = "%nFlags, each also read from ETCD_<NAME> in the environment:%n")
final class Flags {
  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "Human-readable name of this member.")
  String name = "";

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = "Folder that holds everything the member stores (default <name>.etcd).")
  @Nullable String dataDir;

  @Option(
      names = "--snapshot-count",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Applied entries between two raft snapshots.")
  long snapshotCount;

  @Option(
      names = {"--snapshot-catchup-entries", "--experimental-snapshot-catchup-entries"},
      paramLabel = "N",
      defaultValue = "5000",
      description = "Entries kept in memory for followers that are a little behind.")
  long snapshotCatchupEntries;

  @Option(
      names = "--heartbeat-interval",
      paramLabel = "MS",
      defaultValue = "100",
      description = "Milliseconds between heartbeats.")
  int heartbeatInterval;

  @Option(
      names = "--election-timeout",
      paramLabel = "MS",
      defaultValue = "1000",
      description = "Milliseconds without a leader before an election.")
  int electionTimeout;

  @Option(
      names = "--initial-election-tick-advance",
      paramLabel = "BOOL",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "true",
      description = "Skip most of the first election wait.")
  boolean initialElectionTickAdvance;

  @Option(
      names = "--listen-peer-urls",
      paramLabel = "URLS",
      defaultValue = "http://localhost:2380",
      description = "URLs to listen on for peers.")
  String listenPeerUrls = "";

  @Option(
      names = "--listen-client-urls",
      paramLabel = "URLS",
      defaultValue = "http://localhost:2379",
      description = "URLs to listen on for clients: gRPC and HTTP on the same port.")
  String listenClientUrls = "";

  @Option(
      names = "--quota-backend-bytes",
      paramLabel = "BYTES",
      defaultValue = "0",
      description = "Size of the store above which writes are refused; 0: 2 GiB, negative: none.")
  long quotaBackendBytes;

  @Option(
      names = "--backend-batch-interval",
      paramLabel = "DURATION",
      defaultValue = "0",
      description = "Longest wait before buffered writes are committed; 0: 100ms.")
  String backendBatchInterval = "";

  @Option(
      names = "--backend-batch-limit",
      paramLabel = "N",
      defaultValue = "0",
      description = "Most buffered writes before a commit; 0: 10000.")
  int backendBatchLimit;

  @Option(
      names = "--max-txn-ops",
      paramLabel = "N",
      defaultValue = "128",
      description = "Most operations in one branch of a transaction.")
  int maxTxnOps;

  @Option(
      names = "--max-request-bytes",
      paramLabel = "BYTES",
      defaultValue = "1572864",
      description = "Largest client request.")
  int maxRequestBytes;

  @Option(
      names = "--initial-advertise-peer-urls",
      paramLabel = "URLS",
      defaultValue = "http://localhost:2380",
      description = "Peer URLs told to the other members.")
  String initialAdvertisePeerUrls = "";

  @Option(
      names = "--initial-cluster",
      paramLabel = "NAME=URL,…",
      description = "Members at bootstrap (default <name>=<initial-advertise-peer-urls>).")
  @Nullable String initialCluster;

  @Option(
      names = "--initial-cluster-state",
      paramLabel = "new|existing",
      defaultValue = "new",
      description = "Bootstrap a new cluster or join one.")
  String initialClusterState = "";

  @Option(
      names = "--initial-cluster-token",
      paramLabel = "TOKEN",
      defaultValue = "etcd-cluster",
      description = "Mixed into member and cluster ids.")
  String initialClusterToken = "";

  @Option(
      names = "--advertise-client-urls",
      paramLabel = "URLS",
      defaultValue = "http://localhost:2379",
      description = "Client URLs published in the member list.")
  String advertiseClientUrls = "";

  @Option(
      names = "--pre-vote",
      paramLabel = "BOOL",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "true",
      description = "Ask before an election, so that a returning member does not disturb.")
  boolean preVote;

  @Option(
      names = {"--watch-progress-notify-interval", "--experimental-watch-progress-notify-interval"},
      paramLabel = "DURATION",
      defaultValue = "10m",
      description = "Pause between progress notifications to quiet watchers.")
  String watchProgressNotifyInterval = "";

  @Option(
      names = {"--compaction-batch-limit", "--experimental-compaction-batch-limit"},
      paramLabel = "N",
      defaultValue = "1000",
      description = "Entries removed per step of a compaction.")
  int compactionBatchLimit;

  @Option(
      names = {"--compaction-sleep-interval", "--experimental-compaction-sleep-interval"},
      paramLabel = "DURATION",
      defaultValue = "10ms",
      description = "Pause between steps of a compaction.")
  String compactionSleepInterval = "";

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "info",
      description = "debug, info, warn, error, panic or fatal.")
  String logLevel = "";

  @Option(
      names = "--unsafe-no-fsync",
      paramLabel = "BOOL",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "false",
      description = "Never sync files: a crash then loses acknowledged writes.")
  boolean unsafeNoFsync;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Option(names = "--version", versionHelp = true, description = "Show the version.")
  boolean version;

  /// Name of the environment variable of a flag.
  static String variable(String longestName) {
    return "ETCD_" + longestName.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /// Defaults from the environment.
  record Environment(java.util.Map<String, String> variables) implements IDefaultValueProvider {
    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
      if (argument instanceof OptionSpec option && !option.usageHelp() && !option.versionHelp()) {
        return variables.get(variable(option.names()[0]));
      }
      return null;
    }
  }
}
