package dev.etcdj.etcdctl.command;

import com.google.protobuf.ByteString;
import dev.etcdj.client.kv.KeyRange;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.GoText;
import java.util.Locale;

/// Arguments that several commands read alike.
final class Parse {
  private Parse() {}

  /// A lease id in hexadecimal.
  ///
  /// @param complaint format of the error line, with `%s` for the reason
  static long leaseId(String text, String complaint) {
    try {
      return GoText.parseInt(text, 16);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGS, String.format(Locale.ROOT, complaint, e.getMessage()));
    }
  }

  /// The lease id that is the first argument.
  static long leaseArgument(Arguments arguments) {
    return leaseId(arguments.at(0), "bad lease ID arg (%s), expecting ID in Hex");
  }

  /// Whether `--consistency` asks for a serializable answer.
  static boolean serializable(Arguments arguments) {
    String consistency = arguments.text("consistency");
    return switch (consistency) {
      case "l" -> false;
      case "s" -> true;
      default ->
          throw new Failure(
              Failure.BAD_FEATURE, "unknown consistency flag " + GoText.quote(consistency));
    };
  }

  /// The range that a key, an optional end, `--prefix` and `--from-key` stand for.
  static KeyRange range(Arguments arguments) {
    boolean prefix = arguments.is("prefix");
    boolean fromKey = arguments.is("from-key");
    if (prefix && fromKey) {
      throw new Failure(
          Failure.BAD_ARGS,
          "`--prefix` and `--from-key` cannot be set at the same time, choose one");
    }
    if (arguments.size() > 1 && (prefix || fromKey)) {
      throw new Failure(
          Failure.BAD_ARGS,
          "too many arguments, only accept one argument when `--prefix` or `--from-key` is set");
    }
    ByteString key = ByteString.copyFromUtf8(arguments.at(0));
    if (prefix) {
      return KeyRange.prefix(key);
    }
    if (fromKey) {
      return KeyRange.from(key);
    }
    return arguments.size() > 1
        ? KeyRange.of(key, ByteString.copyFromUtf8(arguments.at(1)))
        : KeyRange.single(key);
  }
}
