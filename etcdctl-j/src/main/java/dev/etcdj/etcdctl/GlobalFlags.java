package dev.etcdj.etcdctl;

import static dev.etcdj.etcdctl.Flag.bool;
import static dev.etcdj.etcdctl.Flag.number;
import static dev.etcdj.etcdctl.Flag.text;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The flags of every command, each of which may come from `ETCDCTL_<NAME>` instead.
///
/// @param arguments values in force: command line, else environment, else fallback
public record GlobalFlags(Arguments arguments) {
  private static final String PREFIX = "ETCDCTL_";
  private static final Set<String> OF_WATCH = Set.of("WATCH_KEY", "WATCH_RANGE_END");

  /// All of them, by name.
  public static final List<Flag> ALL =
      List.of(
          text(
              "auth-jwt-token",
              "",
              "JWT token used for authentication (if this option is used, --user and --password"
                  + " should not be set)"),
          text(
              "cacert",
              "",
              "verify certificates of TLS-enabled secure servers using this CA bundle"),
          text("cert", "", "identify secure client using this TLS certificate file"),
          duration(
              "command-timeout",
              "5s",
              "timeout for short running command (excluding dial timeout)"),
          bool("debug", "enable client-side debug logging"),
          duration("dial-timeout", "2s", "dial timeout for client connections"),
          text(
                  "discovery-srv",
                  "",
                  "domain name to query for SRV records describing cluster endpoints")
              .withLetter('d'),
          text("discovery-srv-name", "", "service name to query when using DNS discovery"),
          new Flag("endpoints", (char) 0, Flag.Kind.STRINGS, "127.0.0.1:2379", "gRPC endpoints"),
          bool("hex", "print byte strings as hex encoded strings"),
          on("insecure-discovery", "accept insecure SRV records describing cluster endpoints"),
          bool(
              "insecure-skip-tls-verify",
              "skip server certificate verification (CAUTION: this option should be enabled only"
                  + " for testing purposes)"),
          on("insecure-transport", "disable transport security for client connections"),
          duration("keepalive-time", "2s", "keepalive time for client connections"),
          duration("keepalive-timeout", "6s", "keepalive timeout for client connections"),
          text("key", "", "identify secure client using this TLS key file"),
          number(
              "max-recv-bytes",
              "client-side response receive limit in bytes (if 0, it defaults to"
                  + " \"math.MaxInt32\")"),
          number(
              "max-request-bytes",
              "client-side request send limit in bytes (if 0, it defaults to 2.0 MiB (2 * 1024 *"
                  + " 1024).)"),
          text(
              "password",
              "",
              "password for authentication (if this option is used, --user option shouldn't include"
                  + " password)"),
          text(
              "user",
              "",
              "username[:password] for authentication (prompt if password is not supplied)"),
          text(
                  "write-out",
                  "simple",
                  "set the output format (fields, json, protobuf, simple, table)")
              .withLetter('w'));

  private static Flag duration(String name, String fallback, String help) {
    return new Flag(name, (char) 0, Flag.Kind.DURATION, fallback, help);
  }

  private static Flag on(String name, String help) {
    return new Flag(name, (char) 0, Flag.Kind.BOOL, "true", help);
  }

  /// Adds what the environment says to what the command line gave. A variable that says nothing
  /// sensible is dropped, one that belongs to no flag is warned of, as etcdctl does.
  ///
  /// @throws Failure with exit 1 and its own log line when a flag and its variable are both set
  public static GlobalFlags resolve(Arguments arguments, Console console) {
    Map<String, String> values = new HashMap<>(arguments.given());
    Map<String, String> variables = new TreeMap<>();
    console
        .environment()
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX)) {
                variables.put(name.substring(PREFIX.length()), value);
              }
            });
    FlagParser checks = new FlagParser(ALL);
    for (Flag flag : ALL) {
      String value = variables.remove(variable(flag));
      if (value == null) {
        continue;
      }
      if (arguments.has(flag.name())) {
        console.errorLine(
            logLine(
                "fatal",
                "conflicting environment variable is shadowed by corresponding command-line flag"
                    + " (either unset environment variable or disable flag))",
                PREFIX + variable(flag)));
        throw new Failure(Failure.ERROR, "");
      }
      try {
        checks.check(flag.name(), value);
        if (!value.isEmpty()) {
          values.put(flag.name(), value);
        }
      } catch (Failure ignored) {
        // etcdctl keeps the fallback without a word.
      }
    }
    variables.keySet().removeAll(OF_WATCH);
    variables.forEach(
        (name, value) ->
            console.errorLine(
                logLine("warn", "unrecognized environment variable", PREFIX + name + "=" + value)));
    Arguments resolved =
        new Arguments(
            Map.copyOf(values), arguments.flags(), arguments.positional(), arguments.executed());
    return new GlobalFlags(resolved);
  }

  private static String variable(Flag flag) {
    return flag.name().toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static String logLine(String level, String message, String variable) {
    String time =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC)
            .format(java.time.Instant.now());
    return "{\"level\":\"%s\",\"ts\":\"%s\",\"msg\":\"%s\",\"environment-variable\":%s}"
        .formatted(level, time, message, GoText.quote(variable));
  }

  /// The values in force as `ETCDCTL_NAME=value` lines, for `--debug`.
  public List<String> dump() {
    List<String> lines = new ArrayList<>();
    for (Flag flag : ALL) {
      String value = arguments.text(flag.name());
      lines.add(
          PREFIX
              + variable(flag)
              + "="
              + (flag.kind() == Flag.Kind.STRINGS ? "[" + value.replace(",", " ") + "]" : value));
    }
    return lines;
  }

  /// A duration's value.
  public Duration duration(String name) {
    return GoDuration.parse(arguments.text(name));
  }
}
