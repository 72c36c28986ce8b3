package dev.etcdj.etcdctl.command;

import dev.etcdj.client.kv.DeleteRequest;
import dev.etcdj.client.kv.KeyRange;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.GoText;
import dev.etcdj.etcdctl.Session;
import java.time.Duration;
import java.util.List;

/// `del`: deletes a key or a range. A range given by its two ends is easily given by mistake, so
/// it is announced and waits, unless `--range` says that it is meant.
public final class DelCommand implements Command {
  private static final Duration SECOND_THOUGHTS = Duration.ofSeconds(2);

  @Override
  public String name() {
    return "del";
  }

  @Override
  public String synopsis() {
    return "[options] <key> [range_end]";
  }

  @Override
  public String description() {
    return "Removes the specified key or range of keys [key, range_end)";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.bool(
            "from-key",
            "delete keys that are greater than or equal to the given key using byte compare"),
        Flag.bool("prefix", "delete keys with matching prefix"),
        Flag.bool("prev-kv", "return deleted key-value pairs"),
        Flag.bool("range", "delete range of keys"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    DeleteRequest request = request(arguments, session.console());
    session.printer().delete(session.await(session.client().kv().delete(request)));
    return 0;
  }

  /// The request that the arguments stand for.
  ///
  /// @throws Failure when they make no sense
  static DeleteRequest request(Arguments arguments, Console console) {
    if (arguments.size() == 0 || arguments.size() > 2) {
      throw new Failure(
          Failure.BAD_ARGS,
          "del command needs one argument as key and an optional argument as range_end");
    }
    KeyRange range = Parse.range(arguments);
    if (arguments.size() == 2 && !arguments.is("range")) {
      console.errorLine(
          "Warning: Keys between "
              + GoText.quote(range.key())
              + " and "
              + GoText.quote(range.end())
              + " will be deleted. Please interrupt the command within next 2 seconds to cancel."
              + " You can provide `--range` flag to avoid the delay.");
      pause();
    }
    return new DeleteRequest(range, arguments.is("prev-kv"));
  }

  private static void pause() {
    try {
      Thread.sleep(SECOND_THOUGHTS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Failure(Failure.INTERRUPTED, "interrupted");
    }
  }
}
