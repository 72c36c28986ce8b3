package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import java.util.List;

/// One command.
public interface Command {
  /// Words that call it, such as `lease grant`.
  String name();

  /// Its arguments in a usage line, such as `[options] <key> [range_end]`; may be empty.
  String synopsis();

  /// What it does: the first line stands in lists of commands.
  String description();

  /// Flags of its own.
  default List<Flag> flags() {
    return List.of();
  }

  /// Whether arguments behind `--` are a program to run and its arguments.
  default boolean runsProgram() {
    return false;
  }

  /// Does it.
  ///
  /// @return the exit code
  /// @throws dev.etcdj.etcdctl.Failure to end with an error line
  int run(Arguments arguments, Session session);
}
