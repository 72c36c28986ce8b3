package dev.etcdj.conformance;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Revisions relative to a program: in text `$+2` is the store's revision when the program began
/// plus 2, and `@-1` the revision before the newest that an answer has told of. In a message they
/// are numbers far outside what a store reaches, so any int64 field can hold one.
final class Revisions {
  private static final long BASE = 1L << 56;
  private static final long CURRENT = 1L << 57;
  private static final long SPAN = 1L << 40;
  private static final Pattern WORD = Pattern.compile("([@$])(?:([+-])(\\d+))?");
  private static final Pattern NUMBER = Pattern.compile("\\b\\d{17,18}\\b");

  private Revisions() {}

  static long fromBase(long offset) {
    return BASE + offset;
  }

  static long fromCurrent(long offset) {
    return CURRENT + offset;
  }

  /// Replaces relative revisions by what they stand for now.
  static Message resolve(Message message, long base, long current) {
    return mayBeRelative(message.toByteArray()) ? resolveAll(message, base, current) : message;
  }

  /// Whether some number takes eight bytes or more, which costs less to see than a walk over the
  /// fields.
  private static boolean mayBeRelative(byte[] encoded) {
    int continued = 0;
    for (byte one : encoded) {
      continued = one < 0 ? continued + 1 : 0;
      if (continued == 7) {
        return true;
      }
    }
    return false;
  }

  private static Message resolveAll(Message message, long base, long current) {
    Message.Builder[] changed = {null};
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      if (field.getJavaType() == JavaType.LONG && !field.isRepeated()) {
        long value = (Long) entry.getValue();
        long absolute = resolve(value, base, current);
        if (absolute != value) {
          builder(changed, message).setField(field, absolute);
        }
      } else if (field.getJavaType() == JavaType.MESSAGE) {
        resolveWithin(message, field, entry.getValue(), changed, base, current);
      }
    }
    return changed[0] == null ? message : changed[0].build();
  }

  private static void resolveWithin(
      Message message,
      FieldDescriptor field,
      Object value,
      Message.Builder[] changed,
      long base,
      long current) {
    if (field.isRepeated()) {
      List<?> old = (List<?>) value;
      List<Message> resolved = new ArrayList<>(old.size());
      boolean differs = false;
      for (Object one : old) {
        Message absolute = resolveAll((Message) one, base, current);
        differs |= absolute != one;
        resolved.add(absolute);
      }
      if (differs) {
        builder(changed, message).setField(field, resolved);
      }
    } else {
      Message absolute = resolveAll((Message) value, base, current);
      if (absolute != value) {
        builder(changed, message).setField(field, absolute);
      }
    }
  }

  private static Message.Builder builder(Message.Builder[] changed, Message message) {
    if (changed[0] == null) {
      changed[0] = message.toBuilder();
    }
    return changed[0];
  }

  private static long resolve(long value, long base, long current) {
    if (Math.abs(value - BASE) < SPAN) {
      return base + (value - BASE);
    }
    return Math.abs(value - CURRENT) < SPAN ? current + (value - CURRENT) : value;
  }

  /// Replaces the words of a script by numbers.
  static String encode(String text) {
    return outsideQuotes(
        text,
        part ->
            WORD.matcher(part)
                .replaceAll(
                    match -> {
                      long offset = match.group(3) == null ? 0 : Long.parseLong(match.group(3));
                      long signed = "-".equals(match.group(2)) ? -offset : offset;
                      return Long.toString(
                          match.group(1).equals("$") ? fromBase(signed) : fromCurrent(signed));
                    }));
  }

  /// Replaces such numbers by words again.
  static String decode(String text) {
    return outsideQuotes(
        text,
        part ->
            NUMBER
                .matcher(part)
                .replaceAll(match -> Matcher.quoteReplacement(word(match.group()))));
  }

  private static String word(String digits) {
    long value = Long.parseLong(digits);
    if (Math.abs(value - BASE) < SPAN) {
      return "$" + offset(value - BASE);
    }
    return Math.abs(value - CURRENT) < SPAN ? "@" + offset(value - CURRENT) : digits;
  }

  private static String offset(long value) {
    return value == 0 ? "" : value > 0 ? "+" + value : Long.toString(value);
  }

  private static String outsideQuotes(String text, UnaryOperator<String> change) {
    StringBuilder all = new StringBuilder(text.length());
    int from = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        String part = text.substring(from, i);
        all.append(quoted ? part : change.apply(part)).append('"');
        quoted = !quoted;
        from = i + 1;
      }
    }
    String rest = text.substring(from);
    return all.append(quoted ? rest : change.apply(rest)).toString();
  }
}
