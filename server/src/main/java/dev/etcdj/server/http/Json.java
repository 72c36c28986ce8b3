package dev.etcdj.server.http;

import java.util.List;

/// The little JSON that the HTTP endpoints print, escaped as Go does it.
public final class Json {
  private static final String HEX = "0123456789abcdef";

  private Json() {}

  /// `text` as a JSON string with its quotes.
  public static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        default -> {
          if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029') {
            out.append("\\u");
            for (int shift = 12; shift >= 0; shift -= 4) {
              out.append(HEX.charAt(c >> shift & 15));
            }
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }

  /// A JSON array of strings.
  public static String array(List<String> texts) {
    return texts.stream()
        .map(Json::quote)
        .collect(java.util.stream.Collectors.joining(",", "[", "]"));
  }
}
