package dev.etcdj.server.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Turns the command line and the environment into a validated [ServerConfig].
public final class ConfigLoader {
  private static final Set<String> LEVELS =
      Set.of("debug", "info", "warn", "error", "dpanic", "panic", "fatal");

  /// What the command line asks for.
  public sealed interface Request {
    /// Run a member.
    record Run(ServerConfig config) implements Request {}

    /// Print this and end with 0.
    record Print(String text) implements Request {}
  }

  private final Map<String, String> environment;
  private final String versionText;

  /// @param environment all variables of the process; only `ETCD_*` are looked at
  /// @param versionText what `--version` prints
  public ConfigLoader(Map<String, String> environment, String versionText) {
    this.environment = environment;
    this.versionText = versionText;
  }

  /// @throws ConfigException with one line that says what is wrong
  public Request load(String... arguments) throws ConfigException {
    Flags flags = new Flags();
    CommandLine commandLine = new CommandLine(flags);
    commandLine.setDefaultValueProvider(new Flags.Environment(environment));
    CommandLine.ParseResult parsed;
    try {
      parsed = commandLine.parseArgs(withTwoDashes(arguments));
    } catch (UnmatchedArgumentException e) {
      String first = e.getUnmatched().getFirst();
      throw first.startsWith("-")
          ? new ConfigException(
              2, "flag provided but not defined: " + first.replaceFirst("^--", "-"))
          : new ConfigException(1, "\"" + first + "\" is not a valid flag");
    } catch (ParameterException e) {
      throw new ConfigException(2, String.valueOf(e.getMessage()));
    }
    if (flags.help) {
      return new Request.Print(commandLine.getUsageMessage());
    }
    if (flags.version) {
      return new Request.Print(versionText);
    }
    refuseShadowed(parsed);
    return new Request.Run(config(flags, parsed));
  }

  /// Go's flag package takes one dash as well as two.
  private static String[] withTwoDashes(String[] arguments) {
    String[] result = arguments.clone();
    for (int i = 0; i < result.length; i++) {
      if (result[i].matches("-[a-z][a-z-]+(=.*)?")) {
        result[i] = "-" + result[i];
      }
    }
    return result;
  }

  private void refuseShadowed(CommandLine.ParseResult parsed) throws ConfigException {
    for (OptionSpec option : parsed.matchedOptionsSet()) {
      String variable = Flags.variable(option.names()[0]);
      if (environment.containsKey(variable) && !option.usageHelp() && !option.versionHelp()) {
        throw new ConfigException(
            1,
            "conflicting environment variable \"%s\" is shadowed by corresponding command-line flag"
                    .formatted(variable)
                + " (either unset environment variable or disable flag)");
      }
    }
  }

  private ServerConfig config(Flags flags, CommandLine.ParseResult parsed) throws ConfigException {
    List<URI> listenPeers = urls("listen-peer-urls", flags.listenPeerUrls);
    List<URI> listenClients = urls("listen-client-urls", flags.listenClientUrls);
    List<URI> advertisePeers = urls("initial-advertise-peer-urls", flags.initialAdvertisePeerUrls);
    List<URI> advertiseClients = urls("advertise-client-urls", flags.advertiseClientUrls);
    requireBindable(listenPeers);
    requireBindable(listenClients);
    check(
        !given(parsed, "--listen-client-urls") || given(parsed, "--advertise-client-urls"),
        () -> "--advertise-client-urls is required when --listen-client-urls is set explicitly");
    checkTiming(flags);
    check(
        LEVELS.contains(flags.logLevel),
        () -> "unrecognized level: \"%s\"".formatted(flags.logLevel));
    check(flags.maxRequestBytes > 0, () -> "--max-request-bytes must be >0");
    check(flags.maxTxnOps > 0, () -> "--max-txn-ops must be >0");
    check(flags.snapshotCount > 0, () -> "--snapshot-count must be >0");
    ServerConfig.ClusterState state = clusterState(flags.initialClusterState);
    SequencedMap<String, List<URI>> cluster =
        flags.initialCluster == null
            ? new LinkedHashMap<>(Map.of(flags.name, advertisePeers))
            : initialCluster(flags.initialCluster);
    long batchNanos = duration("backend-batch-interval", flags.backendBatchInterval);
    return new ServerConfig(
        flags.name,
        Path.of(flags.dataDir == null ? flags.name + ".etcd" : flags.dataDir),
        listenClients,
        advertiseClients,
        listenPeers,
        advertisePeers,
        cluster,
        flags.initialClusterToken,
        state,
        flags.snapshotCount,
        flags.snapshotCatchupEntries,
        flags.heartbeatInterval,
        flags.electionTimeout,
        flags.quotaBackendBytes,
        flags.maxRequestBytes,
        flags.maxTxnOps,
        flags.preVote,
        flags.initialElectionTickAdvance,
        flags.unsafeNoFsync,
        duration("watch-progress-notify-interval", flags.watchProgressNotifyInterval),
        flags.compactionBatchLimit,
        duration("compaction-sleep-interval", flags.compactionSleepInterval),
        batchNanos == 0 ? 100_000_000L : batchNanos,
        flags.backendBatchLimit == 0 ? 10_000 : flags.backendBatchLimit,
        64_000_000L,
        flags.logLevel.toLowerCase(Locale.ROOT));
  }

  private static void checkTiming(Flags flags) throws ConfigException {
    check(
        flags.heartbeatInterval > 0,
        () -> "--heartbeat-interval must be >0 (set to %dms)".formatted(flags.heartbeatInterval));
    check(
        flags.electionTimeout > 0,
        () -> "--election-timeout must be >0 (set to %dms)".formatted(flags.electionTimeout));
    check(
        flags.electionTimeout >= 5L * flags.heartbeatInterval,
        () ->
            "--election-timeout[%dms] should be at least as 5 times as --heartbeat-interval[%dms]"
                .formatted(flags.electionTimeout, flags.heartbeatInterval));
    check(
        flags.electionTimeout <= 50_000,
        () ->
            "--election-timeout[%dms] is too long, and should be set less than 50000ms"
                .formatted(flags.electionTimeout));
  }

  private static ServerConfig.ClusterState clusterState(String text) throws ConfigException {
    return switch (text) {
      case "new" -> ServerConfig.ClusterState.NEW;
      case "existing" -> ServerConfig.ClusterState.EXISTING;
      default ->
          throw new ConfigException(
              2,
              "invalid value \"%s\" for flag -initial-cluster-state: must be new or existing"
                  .formatted(text));
    };
  }

  /// `name=url,name=url`; a name may occur several times (CLUS-10).
  private static SequencedMap<String, List<URI>> initialCluster(String text)
      throws ConfigException {
    SequencedMap<String, List<URI>> cluster = new LinkedHashMap<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals <= 0 || equals == part.length() - 1) {
        throw new ConfigException(
            1,
            "error setting up initial cluster: empty or malformed member \"%s\"".formatted(part));
      }
      String name = part.substring(0, equals).strip();
      URI url;
      try {
        url = Urls.parse(part.substring(equals + 1).strip());
      } catch (IllegalArgumentException e) {
        throw new ConfigException(1, "error setting up initial cluster: " + e.getMessage());
      }
      cluster.computeIfAbsent(name, _ -> new ArrayList<>()).add(url);
    }
    cluster.replaceAll((_, urls) -> List.copyOf(urls));
    return cluster;
  }

  private static List<URI> urls(String flag, String text) throws ConfigException {
    try {
      return Urls.parseList(text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          2, "invalid value \"%s\" for flag -%s: %s".formatted(text, flag, e.getMessage()));
    }
  }

  /// Only addresses can be bound, names cannot; `localhost` is taken for an address.
  private static void requireBindable(List<URI> urls) throws ConfigException {
    for (URI url : urls) {
      String host = url.getHost();
      check(
          host == null
              || host.equals("localhost")
              || host.startsWith("[")
              || host.matches("[0-9]+(\\.[0-9]+){3}"),
          () -> "expected IP in URL for binding (%s)".formatted(url));
    }
  }

  private static long duration(String flag, String text) throws ConfigException {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          2, "invalid value \"%s\" for flag -%s: %s".formatted(text, flag, e.getMessage()));
    }
  }

  private boolean given(CommandLine.ParseResult parsed, String name) {
    return parsed.hasMatchedOption(name) || environment.containsKey(Flags.variable(name));
  }

  private static void check(boolean holds, Supplier<String> otherwise) throws ConfigException {
    if (!holds) {
      throw new ConfigException(1, otherwise.get());
    }
  }
}
