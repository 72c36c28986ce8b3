package dev.etcdj.raft.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A file of commands, each with the output it must give: the command line, lines of input, a line
/// `----`, lines of output, an empty line. Lines that start with `#` and empty lines between
/// commands are comments and are kept when the file is rewritten.
record Script(List<Step> steps, List<String> trailer) {

  /// One command. `lead` holds the comments before it, `line` is its position in the file.
  record Step(
      List<String> lead, int line, String command, List<String> input, List<String> expected) {

    String name() {
      return command.split(" ", 2)[0];
    }

    /// Words without `=`, after the name.
    List<String> words() {
      return Arrays.stream(command.split(" ")).skip(1).filter(w -> !w.contains("=")).toList();
    }

    /// `key=value` and `key=(v1,v2)` arguments.
    Map<String, List<String>> options() {
      Map<String, List<String>> options = new LinkedHashMap<>();
      for (String word : command.split(" ")) {
        int equals = word.indexOf('=');
        if (equals > 0) {
          String value = word.substring(equals + 1).replaceAll("[()]", "");
          options.put(word.substring(0, equals), List.of(value.split(",")));
        }
      }
      return options;
    }
  }

  static Script read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<Step> steps = new ArrayList<>();
    List<String> lead = new ArrayList<>();
    int at = 0;
    while (at < lines.size()) {
      String line = lines.get(at);
      if (line.isBlank() || line.startsWith("#")) {
        lead.add(line);
        at++;
        continue;
      }
      int commandLine = at + 1;
      int divider = at + lines.subList(at, lines.size()).indexOf("----");
      if (divider < at) {
        throw new IOException(file + ":" + commandLine + ": no ---- after " + line);
      }
      int end = divider + 1;
      while (end < lines.size() && !lines.get(end).isEmpty()) {
        end++;
      }
      steps.add(
          new Step(
              lead,
              commandLine,
              line,
              List.copyOf(lines.subList(at + 1, divider)),
              List.copyOf(lines.subList(divider + 1, end))));
      lead = new ArrayList<>();
      at = end;
    }
    return new Script(steps, lead);
  }

  /// The file with `outputs` in place of what was expected.
  String rewritten(List<List<String>> outputs) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      lines.addAll(step.lead());
      lines.add(step.command());
      lines.addAll(step.input());
      lines.add("----");
      lines.addAll(outputs.get(i));
    }
    lines.addAll(trailer);
    return String.join("\n", lines).stripTrailing() + "\n";
  }
}
