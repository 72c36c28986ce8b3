package dev.etcdj.etcdctl;

import dev.etcdj.etcdctl.command.Command;
import dev.etcdj.etcdctl.command.CompactionCommand;
import dev.etcdj.etcdctl.command.DelCommand;
import dev.etcdj.etcdctl.command.EndpointHashKvCommand;
import dev.etcdj.etcdctl.command.EndpointHealthCommand;
import dev.etcdj.etcdctl.command.EndpointStatusCommand;
import dev.etcdj.etcdctl.command.GetCommand;
import dev.etcdj.etcdctl.command.LeaseGrantCommand;
import dev.etcdj.etcdctl.command.LeaseKeepAliveCommand;
import dev.etcdj.etcdctl.command.LeaseListCommand;
import dev.etcdj.etcdctl.command.LeaseRevokeCommand;
import dev.etcdj.etcdctl.command.LeaseTimeToLiveCommand;
import dev.etcdj.etcdctl.command.MemberListCommand;
import dev.etcdj.etcdctl.command.PutCommand;
import dev.etcdj.etcdctl.command.TxnCommand;
import dev.etcdj.etcdctl.command.VersionCommand;
import dev.etcdj.etcdctl.command.WatchCommand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Every command, and how a command line names one. Commands are made when they are called.
final class Commands {
  /// By name, in the order of help texts.
  private static final Map<String, Supplier<Command>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("compaction", CompactionCommand::new);
    ALL.put("del", DelCommand::new);
    ALL.put("endpoint hashkv", EndpointHashKvCommand::new);
    ALL.put("endpoint health", EndpointHealthCommand::new);
    ALL.put("endpoint status", EndpointStatusCommand::new);
    ALL.put("get", GetCommand::new);
    ALL.put("lease grant", LeaseGrantCommand::new);
    ALL.put("lease keep-alive", LeaseKeepAliveCommand::new);
    ALL.put("lease list", LeaseListCommand::new);
    ALL.put("lease revoke", LeaseRevokeCommand::new);
    ALL.put("lease timetolive", LeaseTimeToLiveCommand::new);
    ALL.put("member list", MemberListCommand::new);
    ALL.put("put", PutCommand::new);
    ALL.put("txn", TxnCommand::new);
    ALL.put("version", VersionCommand::new);
    ALL.put("watch", WatchCommand::new);
  }

  /// Not a command: lists the flags of all of them.
  static final String OPTIONS = "options";

  /// A group of commands, such as `lease`, with what its help says.
  private static final Map<String, String> GROUPS =
      Map.of(
          "lease", "Lease related commands",
          "member", "Membership related commands",
          "endpoint", "Endpoint related commands");

  private Commands() {}

  /// What a command line calls.
  ///
  /// @param words the full name: of a command, of a group, or empty when none was given
  /// @param command null for a group or no name
  /// @param rest the arguments without the name
  record Call(String words, @Nullable Command command, List<String> rest) {}

  /// Names of all commands, in order.
  static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /// What the help of a group says, by group.
  static Map<String, String> groups() {
    return GROUPS;
  }

  /// The command with this full name.
  static Command command(String name) {
    Supplier<Command> made = ALL.get(name);
    if (made == null) {
      throw new IllegalArgumentException(name);
    }
    return made.get();
  }

  /// Finds the command in `args`: its words are the first arguments that are neither flags nor the
  /// values of flags, and may be cut to what still tells them apart.
  ///
  /// @throws Failure when there is no such command
  static Call find(List<String> args) {
    List<String> rest = new ArrayList<>(args);
    int at = nextWord(rest, 0);
    if (at < 0) {
      return new Call("", null, rest);
    }
    if (rest.get(at).equals(OPTIONS)) {
      return new Call(OPTIONS, null, rest);
    }
    if (rest.get(at).equals("help")) {
      List<String> asked = new ArrayList<>(rest.subList(at + 1, rest.size()));
      asked.add("--help");
      return find(asked);
    }
    String first = complete("", rest.get(at));
    if (first.isEmpty()) {
      throw new Failure(
          Failure.ERROR,
          "unknown command "
              + GoText.quote(rest.get(at))
              + " for \"etcdctl\"\n"
              + "Run 'etcdctl --help' for usage.");
    }
    rest.remove(at);
    if (!GROUPS.containsKey(first)) {
      return new Call(first, command(first), rest);
    }
    at = nextWord(rest, at);
    String second = at < 0 ? "" : complete(first + " ", rest.get(at));
    if (second.isEmpty()) {
      return new Call(first, null, rest);
    }
    rest.remove(at);
    return new Call(second, command(second), rest);
  }

  /// The full name that `word` behind `parent` is the beginning of; empty when none or several are.
  private static String complete(String parent, String word) {
    Set<String> found = new HashSet<>();
    for (String name : ALL.keySet()) {
      String own = parent.isEmpty() ? name.split(" ", 2)[0] : name;
      if (own.equals(parent + word)) {
        return own;
      }
      if (own.startsWith(parent + word)) {
        found.add(own);
      }
    }
    return found.size() == 1 ? found.iterator().next() : "";
  }

  /// Where the next argument stands that is no flag and no flag's value; -1: nowhere.
  private static int nextWord(List<String> args, int from) {
    for (int i = from; i < args.size(); i++) {
      String arg = args.get(i);
      if (arg.equals("--")) {
        return -1;
      }
      if (!arg.startsWith("-") || arg.length() == 1) {
        return i;
      }
      if (!arg.contains("=") && takesValue(arg)) {
        i++;
      }
    }
    return -1;
  }

  private static boolean takesValue(String arg) {
    for (Flag flag : GlobalFlags.ALL) {
      if (arg.equals(flag.dashed()) || (flag.letter() != 0 && arg.equals("-" + flag.letter()))) {
        return flag.kind() != Flag.Kind.BOOL;
      }
    }
    return false;
  }
}
