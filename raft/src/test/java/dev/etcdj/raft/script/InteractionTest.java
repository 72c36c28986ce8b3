package dev.etcdj.raft.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Guarantee: in each scripted situation the nodes do and say exactly what the script shows.
///
/// Method: scripts in `testdata`, whose notation is that of etcd's raft library, so that the same
/// file can be run against it. Source of the expectations: RAFT-1..101, and that library's answers.
///
/// `-Drewrite=true` writes what the nodes say now into the scripts; read the difference.
/// `-Dscripts=` names another folder of scripts.
class InteractionTest {
  private static final Path SCRIPTS =
      Path.of(System.getProperty("scripts", "src/test/resources/testdata"));

  @TestFactory
  Stream<DynamicTest> scripts() throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(SCRIPTS)) {
      files = listed.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
    }
    return files.stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> run(file)));
  }

  private static void run(Path file) throws IOException {
    Script script = Script.read(file);
    Interaction interaction = new Interaction();
    List<List<String>> outputs = new ArrayList<>();
    boolean rewrite = Boolean.getBoolean("rewrite");
    for (Script.Step step : script.steps()) {
      List<String> output;
      try {
        output = interaction.run(step);
      } catch (RuntimeException | Error failure) {
        throw new AssertionError(file.getFileName() + ":" + step.line() + ": " + step, failure);
      }
      outputs.add(output);
      if (!rewrite) {
        assertEquals(
            String.join("\n", step.expected()),
            String.join("\n", output),
            file.getFileName() + ":" + step.line() + ": " + step.command());
      }
    }
    if (rewrite) {
      Files.writeString(file, script.rewritten(outputs));
    }
  }
}
