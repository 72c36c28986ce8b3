package dev.etcdj.etcdctl.command;

import com.google.protobuf.ByteString;
import dev.etcdj.client.kv.Compare;
import dev.etcdj.client.kv.Compare.Relation;
import dev.etcdj.client.kv.Op;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.FlagParser;
import dev.etcdj.etcdctl.GoText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lines of a transaction.
final class TxnText {
  private static final String QUOTED = "\"((?:[^\"\\\\]|\\\\.)*)\"";
  private static final Pattern TARGET = Pattern.compile("([^(\\s]+)\\(");
  private static final Pattern KEY = Pattern.compile(QUOTED + "\\)");
  private static final Pattern RELATION = Pattern.compile(" (\\S+)");
  private static final Pattern VALUE = Pattern.compile(" " + QUOTED);
  private static final Pattern WORD = Pattern.compile(QUOTED + "|'([^']*)'|(\\S+)");

  private TxnText() {}

  /// Reads a condition: `target("key") op "value"`.
  ///
  /// @throws Failure with exit 3 when it is malformed, 2 for an unknown relation
  static Compare compare(String line) {
    Matcher target = TARGET.matcher(line);
    if (!target.lookingAt()) {
      throw new Failure(Failure.INVALID_INPUT, "malformed comparison: " + line);
    }
    Matcher rest = target.usePattern(KEY).region(target.end(), line.length());
    String name = line.substring(0, rest.regionStart() - 1);
    ByteString key = ByteString.EMPTY;
    String relation = "";
    ByteString value = null;
    if (rest.lookingAt()) {
      key = unescape(rest.group(1), line);
      rest.usePattern(RELATION).region(rest.end(), line.length());
      if (rest.lookingAt()) {
        relation = rest.group(1);
        rest.usePattern(VALUE).region(rest.end(), line.length());
        value = rest.lookingAt() ? unescape(rest.group(1), line) : null;
      }
    }
    if (value == null) {
      throw new Failure(
          Failure.INVALID_INPUT,
          "malformed comparison: "
              + line
              + "; got "
              + name
              + "("
              + GoText.quote(key)
              + ") "
              + relation
              + " \"\"");
    }
    Compare.Operand operand = operand(name, value.toStringUtf8(), line);
    return Compare.key(
        key, relation(relation, line), operand == null ? new Compare.Value(value) : operand);
  }

  /// What `target` compares with; null: the value, whose bytes need no reading.
  private static Compare.@Nullable Operand operand(String target, String value, String line) {
    try {
      return switch (target) {
        case "ver", "version" -> new Compare.Version(GoText.parseInt(value, 10));
        case "c", "create" -> new Compare.CreateRevision(GoText.parseInt(value, 10));
        case "m", "mod" -> new Compare.ModRevision(GoText.parseInt(value, 10));
        case "lease" -> new Compare.LeaseId(GoText.parseInt(value, 16));
        case "val", "value" -> null;
        default ->
            throw new Failure(
                Failure.INVALID_INPUT,
                "malformed comparison: " + line + " (unknown target " + target + ")");
      };
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.INVALID_INPUT, "invalid txn compare request: " + line);
    }
  }

  private static Relation relation(String text, String line) {
    return switch (text) {
      case "=" -> Relation.EQUAL;
      case "!=" -> Relation.NOT_EQUAL;
      case ">" -> Relation.GREATER;
      case "<" -> Relation.LESS;
      default ->
          throw new Failure(Failure.BAD_CONNECTION, "unknown result op " + text + ": " + line);
    };
  }

  /// Reads a request: a `get`, `put` or `del` as on the command line, with its own flags alone.
  ///
  /// @throws Failure with exit 3 when it is malformed, or as the command itself fails
  static Op op(String line, Console console) {
    List<String> words = words(line);
    if (words.size() < 2) {
      throw new Failure(Failure.INVALID_INPUT, "invalid txn compare request: " + line);
    }
    Command command =
        switch (words.getFirst()) {
          case "get" -> new GetCommand();
          case "put" -> new PutCommand();
          case "del" -> new DelCommand();
          default -> throw new Failure(Failure.INVALID_INPUT, "invalid txn request: " + line);
        };
    Arguments arguments;
    try {
      arguments = new FlagParser(command.flags()).parse(words.subList(1, words.size()));
    } catch (Failure bad) {
      throw new Failure(Failure.INVALID_INPUT, "invalid txn request: " + line);
    }
    return switch (command) {
      case GetCommand _ -> GetCommand.request(arguments);
      case PutCommand _ -> PutCommand.request(arguments, null);
      default -> DelCommand.request(arguments, console);
    };
  }

  /// Splits a line: quoted words are unquoted, with Go's escapes between `"` and none between `'`.
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(line);
    while (word.find()) {
      if (word.group(1) != null) {
        words.add(unescape(word.group(1), line).toStringUtf8());
      } else {
        words.add(word.group(2) != null ? word.group(2) : word.group(3));
      }
    }
    return words;
  }

  private static ByteString unescape(String body, String line) {
    try {
      return GoText.unescape(body);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.INVALID_INPUT, "malformed text: " + line);
    }
  }
}
