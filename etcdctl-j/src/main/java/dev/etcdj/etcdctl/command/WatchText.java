package dev.etcdj.etcdctl.command;

import com.google.protobuf.ByteString;
import dev.etcdj.client.kv.KeyRange;
import dev.etcdj.client.watch.WatchRequest;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.GoText;
import java.util.ArrayList;
import java.util.List;

/// What the arguments of `watch` ask for. The key and the end of the range may come from the
/// environment instead, in which case arguments must not name them too.
final class WatchText {
  private static final String KEY = "ETCDCTL_WATCH_KEY";
  private static final String RANGE_END = "ETCDCTL_WATCH_RANGE_END";

  private WatchText() {}

  /// The key that the environment names; empty: none.
  static String keyOf(Console console) {
    return console.environment().getOrDefault(KEY, "");
  }

  /// @throws Failure with exit 128 when the arguments make no sense
  static WatchRequest request(Arguments arguments, Console console) {
    List<String> keys = keys(arguments, console);
    KeyRange range = KeyRange.single(ByteString.copyFromUtf8(keys.getFirst()));
    if (keys.size() == 2) {
      if (arguments.is("prefix")) {
        throw new Failure(Failure.BAD_ARGS, "`range_end` and `--prefix` are mutually exclusive");
      }
      range = KeyRange.of(range.key(), ByteString.copyFromUtf8(keys.get(1)));
    } else if (arguments.is("prefix")) {
      range = KeyRange.prefix(range.key());
    }
    return WatchRequest.of(range)
        .from(arguments.number("rev"))
        .withPrevKv(arguments.is("prev-kv"))
        .withProgressNotify(arguments.is("progress-notify"));
  }

  private static List<String> keys(Arguments arguments, Console console) {
    String key = keyOf(console);
    String end = console.environment().getOrDefault(RANGE_END, "");
    if (key.isEmpty()) {
      if (!end.isEmpty()) {
        throw new Failure(
            Failure.BAD_ARGS, KEY + " is empty but got " + RANGE_END + "=" + GoText.quote(end));
      }
      if (arguments.size() == 0) {
        throw new Failure(Failure.BAD_ARGS, "bad number of arguments");
      }
      return arguments.positional().subList(0, Math.min(2, arguments.size()));
    }
    if (arguments.size() > 0) {
      throw new Failure(
          Failure.BAD_ARGS, "bad number of arguments (found conflicting environment key)");
    }
    List<String> keys = new ArrayList<>(List.of(key));
    if (!end.isEmpty()) {
      keys.add(end);
    }
    return keys;
  }
}
