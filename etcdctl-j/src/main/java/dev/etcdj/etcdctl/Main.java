package dev.etcdj.etcdctl;

import dev.etcdj.etcdctl.command.Command;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The command line client.
public final class Main {
  private Main() {}

  /// Runs one command and ends the process with its exit code.
  public static void main(String[] args) {
    // gRPC and Netty log to java.util.logging; what matters of it reaches the caller as an error.
    Logger.getLogger("").setLevel(Level.OFF);
    Console console =
        new Console(
            System.in,
            new FileOutputStream(FileDescriptor.out),
            new FileOutputStream(FileDescriptor.err),
            System.getenv());
    int exit = run(List.of(args), console);
    // Nothing is left to tidy that the end of the process does not.
    Runtime.getRuntime().halt(exit);
  }

  /// Runs one command.
  ///
  /// @param args as typed, without the program's name
  /// @return the exit code
  public static int run(List<String> args, Console console) {
    try {
      Commands.Call call = Commands.find(args);
      Command command = call.command();
      if (call.words().equals(Commands.OPTIONS)) {
        Help.options(console);
        return 0;
      }
      if (command == null) {
        Help.print(call, console);
        return 0;
      }
      return run(command, call.rest(), console);
    } catch (Failure failure) {
      if (!failure.text().isEmpty()) {
        console.errorLine("Error: " + failure.text());
      }
      return failure.exitCode();
    } finally {
      console.flush();
    }
  }

  private static int run(Command command, List<String> args, Console console) {
    List<String> own = args;
    List<String> executed = List.of();
    int dashes = args.indexOf("--");
    if (command.runsProgram() && dashes >= 0) {
      own = args.subList(0, dashes);
      executed = args.subList(dashes + 1, args.size());
    }
    List<Flag> flags = new ArrayList<>(command.flags());
    flags.addAll(GlobalFlags.ALL);
    flags.add(Flag.bool("help", "").withLetter('h'));
    Arguments arguments = new FlagParser(flags).parse(own);
    if (arguments.is("help")) {
      Help.print(command, console);
      return 0;
    }
    arguments = arguments.with(arguments.positional(), List.copyOf(executed));
    try (Session session = new Session(console, arguments)) {
      return command.run(arguments, session);
    }
  }
}
