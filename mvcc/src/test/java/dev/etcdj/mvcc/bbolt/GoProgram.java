package dev.etcdj.mvcc.bbolt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;

/// A program of `testing/interop-go`, built and run with the machine's `go`.
@NullUnmarked
final class GoProgram {
  private static final Path MODULE = Path.of("..", "testing", "interop-go");

  private final Path binary;

  /// What a run said and how it ended.
  record Result(int exit, String out) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  private GoProgram(Path binary) {
    this.binary = binary;
  }

  static GoProgram build(String name, Path into) throws Exception {
    Path binary = into.resolve(name);
    Result result = exec(List.of("go", "build", "-o", binary.toString(), "./" + name));
    if (result.exit() != 0) {
      throw new IOException("go build " + name + ": " + result.out());
    }
    return new GoProgram(binary);
  }

  Result run(Object... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(binary.toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return exec(command);
  }

  static Result exec(List<String> command) throws Exception {
    Process process =
        new ProcessBuilder(command).directory(MODULE.toFile()).redirectErrorStream(true).start();
    byte[] out = process.getInputStream().readAllBytes();
    return new Result(process.waitFor(), new String(out, StandardCharsets.UTF_8));
  }
}
