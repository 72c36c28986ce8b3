package dev.etcdj.etcdctl;

import dev.etcdj.etcdctl.command.Command;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Help texts, in the form of etcdctl's.
final class Help {
  private static final String MORE =
      "Use \"etcdctl options\" for a list of global command-line options (applies to all"
          + " commands).";

  private Help() {}

  /// Help of one command.
  static void print(Command command, Console console) {
    String name = command.name();
    console.line(command.description());
    console.line("");
    console.line("Usage:");
    String synopsis = command.synopsis().isEmpty() ? "" : " " + command.synopsis();
    console.line("  etcdctl " + name + synopsis + " [flags]");
    console.line("");
    console.line("Flags:");
    List<Flag> flags = new ArrayList<>(command.flags());
    String last = name.substring(name.lastIndexOf(' ') + 1);
    flags.add(Flag.bool("help", "help for " + last).withLetter('h'));
    flags(flags, console);
    console.line(MORE);
  }

  /// Help of a group of commands, or of the program.
  static void print(Commands.Call call, Console console) {
    String group = call.words();
    console.line(
        group.isEmpty()
            ? "A simple command line client for etcd3."
            : Commands.groups().getOrDefault(group, ""));
    console.line("");
    console.line("Usage:");
    console.line("  etcdctl " + (group.isEmpty() ? "" : group + " ") + "[command]");
    console.line("");
    console.line("Available Commands:");
    Map<String, String> lines = lines(group);
    int width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
    lines.forEach(
        (name, text) -> console.line("  " + name + " ".repeat(width - name.length() + 2) + text));
    console.line("");
    if (!group.isEmpty()) {
      console.line("Flags:");
      flags(List.of(Flag.bool("help", "help for " + group).withLetter('h')), console);
      console.line("");
    }
    console.line(
        "Use \"etcdctl "
            + (group.isEmpty() ? "" : group + " ")
            + "[command] --help\" for more information about a command.");
    console.line(MORE);
  }

  /// The flags of all commands.
  static void options(Console console) {
    console.line("The following options can be passed to any command:");
    console.line("");
    flags(GlobalFlags.ALL, console);
  }

  private static Map<String, String> lines(String group) {
    Map<String, String> lines = new TreeMap<>();
    for (String name : Commands.names()) {
      if (group.isEmpty()) {
        String first = name.split(" ", 2)[0];
        lines.put(
            first,
            Commands.groups().containsKey(first)
                ? Commands.groups().get(first)
                    + ". Use `etcdctl "
                    + first
                    + " --help` to see subcommands"
                : firstLine(name));
      } else if (name.startsWith(group + " ")) {
        lines.put(name.substring(group.length() + 1), firstLine(name));
      }
    }
    return lines;
  }

  private static String firstLine(String name) {
    return Commands.command(name).description().lines().findFirst().orElse("");
  }

  /// Flags in columns, by name.
  static void flags(List<Flag> flags, Console console) {
    List<Flag> sorted = new ArrayList<>(flags);
    sorted.sort(Comparator.comparing(Flag::name));
    int width = sorted.stream().mapToInt(flag -> head(flag).length()).max().orElse(0);
    for (Flag flag : sorted) {
      String head = head(flag);
      console.line(head + " ".repeat(width - head.length() + 3) + flag.help() + fallback(flag));
    }
  }

  private static String head(Flag flag) {
    String letter = flag.letter() == 0 ? "      " : "  -" + flag.letter() + ", ";
    String word = flag.kind().word();
    return letter + flag.dashed() + (word.isEmpty() ? "" : " " + word);
  }

  private static String fallback(Flag flag) {
    return switch (flag.kind()) {
      case BOOL -> flag.fallback().equals("true") ? " (default true)" : "";
      case INT -> flag.fallback().equals("0") ? "" : " (default " + flag.fallback() + ")";
      case STRING ->
          flag.fallback().isEmpty() ? "" : " (default " + GoText.quote(flag.fallback()) + ")";
      case STRINGS -> " (default [" + flag.fallback() + "])";
      case DURATION -> " (default " + flag.fallback() + ")";
    };
  }
}
