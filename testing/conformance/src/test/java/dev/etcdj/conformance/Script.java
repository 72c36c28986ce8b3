package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Programs as text, one step a line; messages are in protobuf's own text form, with relative
/// revisions ([Revisions]).
///
/// ```
/// case KV-65, KV-66: what the program shows
/// fresh                                  servers that have seen nothing else
/// put { key: "a" value: "1" }            also range, range_stream, delete, txn, compact, …
/// meta hasleader=true                    goes along with the next call
/// raw /etcdserverpb.KV/Range 0a0161      any bytes to any method
/// watch A create { key: "a" }            on stream A; also cancel { … }, progress, send { … }
/// expect A 2                             the next two answers on A
/// keepalive K { ID: 7 }
/// halfclose A
/// settle                                 every watcher delivers what it has
/// sleep 2500
/// repeat 100 put { key: "k<i3>" }        <i> counts from 0, <i3> with three digits
/// ```
///
/// `3*(text)` anywhere stands for the text three times, `<n>` in it counting from 0. A line whose
/// braces are open goes on in the next; `#` begins a comment.
final class Script {
  private static final Pattern TIMES = Pattern.compile("(\\d+)\\*\\(");
  private static final TextFormat.Printer PRINTER = TextFormat.printer().emittingSingleLine(true);

  private Script() {}

  // Reading.

  /// @param name of the file, for messages
  /// @throws IllegalArgumentException naming the line that cannot be read
  static List<Program> read(String name, String text) {
    return new Reader(name).read(text);
  }

  private static final class Reader {
    private final String file;
    private final List<Program> programs = new ArrayList<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private @Nullable String title;
    private List<String> rules = List.of();
    private boolean fresh;
    private List<Step> steps = new ArrayList<>();

    Reader(String file) {
      this.file = file;
    }

    List<Program> read(String text) {
      StringBuilder open = new StringBuilder();
      int number = 0;
      int from = 1;
      for (String raw : text.split("\n", -1)) {
        number++;
        String line = raw.strip();
        if (open.isEmpty()) {
          from = number;
          if (line.isEmpty() || line.startsWith("#")) {
            continue;
          }
        }
        open.append(open.isEmpty() ? "" : " ").append(line);
        if (balanced(open)) {
          try {
            line(from, times(open.toString()));
          } catch (TextFormat.ParseException | RuntimeException e) {
            throw new IllegalArgumentException(file + ":" + from + ": " + e.getMessage(), e);
          }
          open.setLength(0);
        }
      }
      if (!open.isEmpty()) {
        throw new IllegalArgumentException(file + ":" + from + ": braces left open");
      }
      endCase();
      return programs;
    }

    private void line(int number, String line) throws TextFormat.ParseException {
      String word = word(line);
      String rest = rest(line);
      switch (word) {
        case "case" -> {
          endCase();
          int colon = rest.indexOf(':');
          rules = Arrays.stream(rest.substring(0, colon).split("[ ,]+")).toList();
          title = file + ":" + number + " " + rest.substring(colon + 1).strip();
        }
        case "fresh" -> fresh = true;
        case "meta" -> {
          int equals = rest.indexOf('=');
          metadata.put(rest.substring(0, equals), rest.substring(equals + 1));
        }
        case "repeat" -> {
          int times = Integer.parseInt(word(rest));
          for (int i = 0; i < times; i++) {
            steps.add(step(counted(rest(rest), "i", i)));
          }
        }
        default -> steps.add(step(line));
      }
    }

    private Step step(String line) throws TextFormat.ParseException {
      String word = word(line);
      String rest = rest(line);
      return switch (word) {
        case "raw" ->
            new Step.Raw(word(rest), ByteString.copyFrom(HexFormat.of().parseHex(rest(rest))));
        case "watch" -> new Step.Watch(word(rest), watchRequest(rest(rest)), takeMetadata());
        case "expect" -> new Step.Expect(word(rest), Integer.parseInt(rest(rest)));
        case "keepalive" ->
            new Step.KeepAlive(
                word(rest),
                (LeaseKeepAliveRequest)
                    message(LeaseKeepAliveRequest.getDefaultInstance(), rest(rest)));
        case "halfclose" -> new Step.HalfClose(rest);
        case "settle" -> new Step.Settle();
        case "sleep" -> new Step.Sleep(Integer.parseInt(rest));
        default -> {
          Verb verb = Verb.valueOf(word.toUpperCase(Locale.ROOT));
          yield new Step.Call(verb, message(verb.request(), rest), takeMetadata());
        }
      };
    }

    private static WatchRequest watchRequest(String text) throws TextFormat.ParseException {
      String inner = rest(text).isEmpty() ? "{}" : rest(text);
      String whole =
          switch (word(text)) {
            case "create" -> "{ create_request " + inner + " }";
            case "cancel" -> "{ cancel_request " + inner + " }";
            case "progress" -> "{ progress_request {} }";
            case "send" -> inner;
            default -> throw new IllegalArgumentException("no watch request: " + text);
          };
      return (WatchRequest) message(WatchRequest.getDefaultInstance(), whole);
    }

    private Map<String, String> takeMetadata() {
      Map<String, String> taken = Map.copyOf(metadata);
      metadata.clear();
      return taken;
    }

    private void endCase() {
      if (title != null) {
        programs.add(new Program(title, rules, fresh, steps));
      } else if (!steps.isEmpty()) {
        throw new IllegalArgumentException("a step before the first case");
      }
      fresh = false;
      steps = new ArrayList<>();
    }
  }

  private static Message message(Message prototype, String braced)
      throws TextFormat.ParseException {
    String text = braced.strip();
    if (text.isEmpty()) {
      return prototype;
    }
    if (!text.startsWith("{") || !text.endsWith("}")) {
      throw new IllegalArgumentException("no message in braces: " + text);
    }
    Message.Builder builder = prototype.newBuilderForType();
    TextFormat.merge(Revisions.encode(text.substring(1, text.length() - 1)), builder);
    return builder.build();
  }

  private static String word(String line) {
    int space = line.indexOf(' ');
    return space < 0 ? line : line.substring(0, space);
  }

  private static String rest(String line) {
    int space = line.indexOf(' ');
    return space < 0 ? "" : line.substring(space + 1).strip();
  }

  /// Whether all braces and repetitions are closed.
  private static boolean balanced(CharSequence text) {
    int depth = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && c == '{') {
        depth++;
      } else if (!quoted && c == '}') {
        depth--;
      }
    }
    return depth <= 0;
  }

  private static String times(String text) {
    Matcher matcher = TIMES.matcher(text);
    if (!matcher.find()) {
      return text;
    }
    int depth = 1;
    int end = matcher.end();
    while (depth > 0) {
      char c = text.charAt(end++);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    String inner = times(text.substring(matcher.end(), end - 1));
    StringBuilder all = new StringBuilder(text.substring(0, matcher.start()));
    int count = Integer.parseInt(matcher.group(1));
    if (inner.contains("<n")) {
      for (int n = 0; n < count; n++) {
        all.append(counted(inner, "n", n));
      }
    } else {
      all.append(inner.repeat(count));
    }
    return all + times(text.substring(end));
  }

  private static String counted(String text, String letter, int count) {
    String all = text.replace("<" + letter + ">", Integer.toString(count));
    for (int digits = 1; digits <= 6; digits++) {
      String name = "<" + letter + digits + ">";
      if (all.contains(name)) {
        all = all.replace(name, String.format(Locale.ROOT, "%0" + digits + "d", count));
      }
    }
    return all;
  }

  // Writing.

  /// The program as a case that [#read] takes.
  static String write(Program program) {
    StringBuilder text = new StringBuilder("case ");
    text.append(program.rules().isEmpty() ? "KV-0" : String.join(", ", program.rules()));
    text.append(": ").append(program.name()).append('\n');
    if (program.fresh()) {
      text.append("fresh\n");
    }
    for (Step step : program.steps()) {
      text.append(write(step)).append('\n');
    }
    return text.toString();
  }

  static String write(Step step) {
    return switch (step) {
      case Step.Call(Verb verb, Message request, Map<String, String> metadata) ->
          write(metadata) + verb.word() + " " + write(request);
      case Step.Raw(String method, ByteString request) ->
          "raw " + method + " " + HexFormat.of().formatHex(request.toByteArray());
      case Step.Watch(String stream, WatchRequest request, Map<String, String> metadata) ->
          write(metadata) + "watch " + stream + " " + write(request);
      case Step.Expect(String stream, int answers) -> "expect " + stream + " " + answers;
      case Step.KeepAlive(String stream, LeaseKeepAliveRequest request) ->
          "keepalive " + stream + " " + write((Message) request);
      case Step.HalfClose(String stream) -> "halfclose " + stream;
      case Step.Settle() -> "settle";
      case Step.Sleep(int millis) -> "sleep " + millis;
    };
  }

  private static String write(Map<String, String> metadata) {
    StringBuilder text = new StringBuilder();
    metadata.forEach((key, value) -> text.append("meta " + key + "=" + value + "\n"));
    return text.toString();
  }

  private static String write(WatchRequest request) {
    return switch (request.getRequestUnionCase()) {
      case CREATE_REQUEST -> "create " + write((Message) request.getCreateRequest());
      case CANCEL_REQUEST -> "cancel " + write((Message) request.getCancelRequest());
      case PROGRESS_REQUEST -> "progress";
      case REQUESTUNION_NOT_SET -> "send " + write((Message) request);
    };
  }

  static String write(Message message) {
    String inner = Revisions.decode(PRINTER.printToString(message)).strip();
    return inner.isEmpty() ? "{}" : "{ " + inner + " }";
  }
}
