package dev.etcdj.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A program of `testing/interop-go`, built and run with the machine's `go`.
public final class GoProgram {
  private static final Path MODULE = Path.of("..", "testing", "interop-go");

  private final Path binary;

  /// What a run said and how it ended.
  public record Result(int exit, String out) {
    public List<String> lines() {
      return out.lines().toList();
    }
  }

  private GoProgram(Path binary) {
    this.binary = binary;
  }

  /// Compiles the program of that name.
  ///
  /// @throws IOException with the compiler's words when it does not compile
  public static GoProgram build(String name, Path into) throws Exception {
    Path binary = into.resolve(name);
    Result result = exec(List.of("go", "build", "-C", name, "-o", binary.toString(), "."));
    if (result.exit() != 0) {
      throw new IOException("go build " + name + ": " + result.out());
    }
    return new GoProgram(binary);
  }

  public Path binary() {
    return binary;
  }

  public Result run(Object... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(binary.toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return exec(command);
  }

  /// Runs any command in the folder of the programs' Go module.
  public static Result exec(List<String> command) throws Exception {
    Process process =
        new ProcessBuilder(command).directory(MODULE.toFile()).redirectErrorStream(true).start();
    byte[] out = process.getInputStream().readAllBytes();
    return new Result(process.waitFor(), new String(out, StandardCharsets.UTF_8));
  }
}
