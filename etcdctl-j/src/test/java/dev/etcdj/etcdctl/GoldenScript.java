package dev.etcdj.etcdctl;

import dev.etcdj.etcdctl.command.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A recorded session: comments, then records of this form, each ended by an empty line behind
/// `-- stderr:` and its lines.
///
/// ```
/// $ NAME=value put foo "bar baz"
/// | a line of standard input
/// -- exit: 0
/// -- stdout:
/// OK
/// -- stderr:
/// ```
///
/// Words are split as etcdctl splits the lines of a transaction. `~` in front of standard input's
/// last line leaves its end out.
final class GoldenScript {
  /// One command and what it printed.
  record Step(String line, List<String> stdin, String expected) {
    Map<String, String> environment() {
      Map<String, String> environment = new TreeMap<>();
      for (String word : words()) {
        if (!word.matches("ETCDCTL_[A-Z_]+=.*")) {
          break;
        }
        environment.put(
            word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
      }
      return environment;
    }

    List<String> arguments() {
      List<String> words = words();
      return words.subList(environment().size(), words.size());
    }

    private List<String> words() {
      return Words.split(line);
    }

    String input() {
      StringBuilder input = new StringBuilder();
      for (String text : stdin) {
        input.append(text.startsWith("~") ? text.substring(1) : text + "\n");
      }
      return input.toString();
    }
  }

  private GoldenScript() {}

  static List<Step> parse(String text) {
    List<Step> steps = new ArrayList<>();
    List<String> lines = text.lines().toList();
    int at = 0;
    while (at < lines.size()) {
      if (!lines.get(at).startsWith("$ ")) {
        at++;
        continue;
      }
      String command = lines.get(at++).substring(2);
      List<String> stdin = new ArrayList<>();
      while (at < lines.size() && lines.get(at).startsWith("|")) {
        String line = lines.get(at++);
        stdin.add(line.length() > 1 ? line.substring(2) : "");
      }
      StringBuilder expected = new StringBuilder();
      while (at < lines.size() && !lines.get(at).startsWith("$ ")) {
        expected.append(lines.get(at++)).append('\n');
      }
      steps.add(new Step(command, List.copyOf(stdin), expected.toString().stripTrailing()));
    }
    return steps;
  }

  static String print(Step step, String outcome) {
    StringBuilder text = new StringBuilder("$ ").append(step.line()).append('\n');
    for (String line : step.stdin()) {
      text.append(line.isEmpty() ? "|" : "| " + line).append('\n');
    }
    return text.append(outcome).append("\n\n").toString();
  }
}
