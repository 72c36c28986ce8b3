package dev.etcdj.proto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The compiled protos say on the wire what etcd says, element by element: every message, field,
/// enum value, service and method of `src/test/wire/api.tsv`. Needs python3.
class WireContractTest {
  private static final Path CHECK = Path.of("src/test/wire/check-wire");

  @ParameterizedTest
  @ValueSource(strings = {"public", "disk"})
  void descriptorSetMatchesTheTable(String scope) throws Exception {
    assumeTrue(run("python3", "--version").exit == 0, "needs python3");
    Result result = run("python3", CHECK.toString(), "--scope", scope, "target/etcd-j.protoset");
    assertEquals(0, result.exit, result.output);
  }

  /// A check that cannot fail proves nothing: against a table with one field's number changed it
  /// must.
  @Test
  void aChangedFieldNumberIsNoticed() throws Exception {
    assumeTrue(run("python3", "--version").exit == 0, "needs python3");
    List<String> rows = Files.readAllLines(Path.of("src/test/wire/api.tsv"));
    List<String> changed =
        rows.stream()
            .map(
                row ->
                    row.contains("\tetcdserverpb.RangeRequest.limit\t3\t")
                        ? row.replace("limit\t3\t", "limit\t33\t")
                        : row)
            .toList();
    Path table = Files.write(Path.of("target/changed-api.tsv"), changed);
    Result result =
        run("python3", CHECK.toString(), "--api", table.toString(), "target/etcd-j.protoset");
    assertEquals(1, result.exit, result.output);
  }

  private record Result(int exit, String output) {}

  private static Result run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output);
    } catch (IOException e) {
      return new Result(127, String.valueOf(e.getMessage()));
    }
  }
}
