package dev.etcdj.etcdctl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Guarantee: etcdctl-j prints what etcdctl 3.7.1 prints, byte for byte, and ends as it does.
/// Method: sessions of etcdctl, recorded against a fresh server, are run in this process against
/// another fresh server. What no two runs share (lease ids, times, sizes, log lines of etcdctl's
/// own client, usage texts behind a flag error) is made equal first.
/// Source: etcdctl 3.7.1 itself. `-Doracle.etcdctl=<program> -Dgolden.record=true` records anew;
/// the server is named as `TestServer` says.
class GoldenTest {
  private static final Pattern LEASE =
      Pattern.compile("^lease ([0-9a-f]{16}) granted", Pattern.MULTILINE);
  private static final Path FOLDER = Path.of("src/test/resources/golden");

  private String lease = "";

  /// What a command did.
  private record Outcome(int exit, String stdout, String stderr) {}

  @ParameterizedTest
  @ValueSource(strings = {"kv", "txn", "lease", "cluster", "flags", "watch"})
  void printsWhatEtcdctlPrints(String name) throws Exception {
    Path file = FOLDER.resolve(name + ".txt");
    String text = Files.readString(file);
    boolean record = Boolean.getBoolean("golden.record");
    StringBuilder recorded = new StringBuilder(text.substring(0, Math.max(0, text.indexOf("$ "))));
    List<String> differences = new ArrayList<>();
    try (TestServer server = TestServer.start()) {
      for (GoldenScript.Step step : GoldenScript.parse(text)) {
        Outcome outcome = record ? runOracle(step, server) : runHere(step, server);
        remember(outcome);
        String shown = show(outcome, server);
        recorded.append(GoldenScript.print(step, shown));
        if (!record && !shown.equals(step.expected())) {
          differences.add(
              GoldenScript.print(step, "expected\n" + step.expected() + "\nwas\n" + shown));
        }
      }
    }
    if (record) {
      Files.writeString(file, recorded.toString().stripTrailing() + "\n");
    }
    assertEquals("", String.join("\n", differences));
  }

  private Outcome runHere(GoldenScript.Step step, TestServer server) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            new ByteArrayInputStream(step.input().getBytes(StandardCharsets.UTF_8)),
            out,
            err,
            environment(step, server));
    int exit = Main.run(arguments(step), console);
    return new Outcome(exit, text(step, out.toByteArray()), text(step, err.toByteArray()));
  }

  private Outcome runOracle(GoldenScript.Step step, TestServer server)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(System.getProperty("oracle.etcdctl")));
    command.addAll(arguments(step));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment(step, server));
    Path out = Files.createTempFile("golden", "out");
    Path err = Files.createTempFile("golden", "err");
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try (var stdin = process.getOutputStream()) {
      stdin.write(step.input().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It did not want its input.
    }
    int exit = process.waitFor();
    return new Outcome(
        exit, text(step, Files.readAllBytes(out)), text(step, Files.readAllBytes(err)));
  }

  /// Protobuf is shown in hexadecimal, errors beside it as they are.
  private static String text(GoldenScript.Step step, byte[] bytes) {
    boolean binary = step.line().contains("protobuf") && bytes.length > 0 && bytes[0] == '\n';
    return binary ? HexFormat.of().formatHex(bytes) : new String(bytes, StandardCharsets.UTF_8);
  }

  private Map<String, String> environment(GoldenScript.Step step, TestServer server) {
    Map<String, String> environment = new HashMap<>();
    if (!step.line().contains("--endpoints")) {
      environment.put("ETCDCTL_ENDPOINTS", server.endpoint());
    }
    environment.putAll(step.environment());
    environment.replaceAll((key, value) -> value.replace("{endpoint}", server.endpoint()));
    return environment;
  }

  private List<String> arguments(GoldenScript.Step step) {
    return step.arguments().stream().map(word -> word.replace("{lease}", lease)).toList();
  }

  private void remember(Outcome outcome) {
    Matcher granted = LEASE.matcher(outcome.stdout());
    if (granted.find()) {
      lease = granted.group(1);
    }
  }

  private String show(Outcome outcome, TestServer server) {
    String text =
        "-- exit: "
            + outcome.exit()
            + "\n-- stdout:\n"
            + outcome.stdout()
            + (outcome.stdout().isEmpty() || outcome.stdout().endsWith("\n") ? "" : "\n")
            + "-- stderr:\n"
            + messages(outcome.stderr());
    if (!lease.isEmpty()) {
      String decimal = Long.toString(Long.parseUnsignedLong(lease, 16));
      text = text.replace(lease, "{lease}").replace(decimal, "{lease-decimal}");
    }
    return text.replace(server.endpoint(), "{endpoint}")
        .replaceAll("(took = |\"took\":\"|\"Took\" : )[^\"\\n]+", "$1{took}")
        .stripTrailing();
  }

  private static String messages(String stderr) {
    return stderr
        .replaceAll("\\{\"level\":\"warn\"[^\n]*retrying of unary invoker[^\n]*\n", "")
        .replaceAll("(?s)Usage:\n.*?\n\nFlags:\n.*?(\n\n|\n?$)", "")
        .replaceAll("(?s)\nDid you mean this\\?\n.*?\n\n", "")
        .replaceAll("\"ts\":\"[^\"]*\",(\"caller\":\"[^\"]*\",)?", "")
        .replaceAll(",\"stacktrace\":\"[^\"]*\"", "");
  }
}
