package dev.etcdj.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `/health`, `/livez` and `/readyz` with their checks (MAINT-90 to MAINT-104). The checks of one
/// request run side by side, each on the member's own threads.
public final class HealthEndpoints {
  private static final Logger log = LoggerFactory.getLogger(HealthEndpoints.class);

  /// A check's outcome: null when it passed, else why not.
  private interface Check extends Supplier<CompletableFuture<@Nullable String>> {}

  private final HealthProbe probe;
  private final HealthCounts counts;

  public HealthEndpoints(HealthProbe probe, HealthCounts counts) {
    this.probe = probe;
    this.counts = counts;
  }

  /// Adds the paths. May be called for several ports.
  public void addTo(Router router) {
    router.add("GET", "/health", new Route.Buffered(0, this::health));
    SequencedMap<String, Check> live = new TreeMap<>();
    live.put("serializable_read", () -> read(false));
    addChecks(router, "livez", live);
    SequencedMap<String, Check> ready = new TreeMap<>(live);
    ready.put("data_corruption", this::corruption);
    ready.put("linearizable_read", () -> read(true));
    ready.put("non_learner", this::learner);
    addChecks(router, "readyz", ready);
  }

  private void addChecks(Router router, String endpoint, SequencedMap<String, Check> checks) {
    router.add("GET", "/" + endpoint, new Route.Buffered(0, call -> run(endpoint, checks, call)));
    checks.forEach(
        (name, check) -> {
          SequencedMap<String, Check> alone = new TreeMap<>(Map.of(name, check));
          router.add(
              "GET",
              "/" + endpoint + "/" + name,
              new Route.Buffered(0, call -> run(endpoint, alone, call)));
        });
  }

  /// Order and texts: MAINT-92, MAINT-93.
  private CompletableFuture<HttpReply> health(HttpCall call) {
    List<String> excluded = call.parameters("exclude");
    boolean serializable = call.parameters("serializable").contains("true");
    for (String alarm : probe.alarms()) {
      if (!excluded.contains(alarm)) {
        boolean named = alarm.equals("NOSPACE") || alarm.equals("CORRUPT");
        return CompletableFuture.completedFuture(health("ALARM " + (named ? alarm : "UNKNOWN")));
      }
    }
    if (!serializable && !probe.hasLeader()) {
      return CompletableFuture.completedFuture(health("RAFT NO LEADER"));
    }
    return read(!serializable)
        .thenApply(failure -> health(failure == null ? "" : "RANGE ERROR:" + failure));
  }

  private HttpReply health(String reason) {
    boolean healthy = reason.isEmpty();
    counts.health(healthy);
    String json = "{\"health\":\"" + healthy + "\",\"reason\":" + Json.quote(reason) + "}";
    if (!healthy) {
      log.atWarn().addKeyValue("output", json).log("/health error");
      return HttpReply.error(503, json);
    }
    return HttpReply.of(200, "text/plain; charset=utf-8", json.getBytes(StandardCharsets.UTF_8));
  }

  private CompletableFuture<HttpReply> run(
      String endpoint, SequencedMap<String, Check> checks, HttpCall call) {
    List<String> excluded = call.parameters("exclude");
    List<String> names = checks.keySet().stream().filter(name -> !excluded.contains(name)).toList();
    List<CompletableFuture<@Nullable String>> outcomes = new ArrayList<>();
    for (String name : names) {
      outcomes.add(Objects.requireNonNull(checks.get(name)).get());
    }
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
        .thenApply(done -> report(endpoint, names, outcomes, call.hasParameter("verbose")));
  }

  private HttpReply report(
      String endpoint,
      List<String> names,
      List<CompletableFuture<@Nullable String>> outcomes,
      boolean verbose) {
    StringBuilder lines = new StringBuilder();
    boolean passed = true;
    for (int i = 0; i < names.size(); i++) {
      String failure = outcomes.get(i).join();
      counts.check(endpoint, names.get(i), failure == null);
      passed &= failure == null;
      lines
          .append(failure == null ? "[+]" : "[-]")
          .append(names.get(i))
          .append(failure == null ? " ok" : " failed: " + failure)
          .append('\n');
    }
    if (!passed) {
      log.atError()
          .addKeyValue("path", "/" + endpoint)
          .addKeyValue("output", lines)
          .log("Health check error");
      return HttpReply.error(503, lines.toString());
    }
    // The error form with status 200: the text it adds a newline to is "ok".
    return HttpReply.error(200, verbose ? lines + "ok" : "ok");
  }

  private CompletableFuture<@Nullable String> corruption() {
    return CompletableFuture.completedFuture(
        probe.alarms().contains("CORRUPT") ? "alarm activated: CORRUPT" : null);
  }

  private CompletableFuture<@Nullable String> learner() {
    return CompletableFuture.completedFuture(
        probe.isLearner() ? "not supported for learner" : null);
  }

  private CompletableFuture<@Nullable String> read(boolean linearizable) {
    return probe
        .read(linearizable)
        .handle((done, failure) -> failure == null ? null : textOf(failure));
  }

  private static String textOf(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return String.valueOf(cause.getMessage());
  }
}
