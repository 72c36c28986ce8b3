package dev.etcdj.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A complete answer. `headers` alternates names and values; content length is added by the
/// exchange, and a content type unless empty.
///
/// @param body owned by the reply from here on; never written to
/// @param close the connection ends after this answer
public record HttpReply(
    int status, String contentType, byte[] body, List<String> headers, boolean close) {
  private static final byte[] NO_BODY = new byte[0];

  public HttpReply {
    headers = List.copyOf(headers);
  }

  /// An answer without a body.
  public static HttpReply empty(int status) {
    return new HttpReply(status, "", NO_BODY, List.of(), false);
  }

  /// An answer with a body of the given type.
  public static HttpReply of(int status, String contentType, byte[] body) {
    return new HttpReply(status, contentType, body, List.of(), false);
  }

  /// A JSON answer.
  public static HttpReply json(int status, String body) {
    return of(status, "application/json", body.getBytes(StandardCharsets.UTF_8));
  }

  /// An error in the form that Go's HTTP library gives it: the text and a newline, not to be
  /// interpreted as anything else.
  public static HttpReply error(int status, String text) {
    return new HttpReply(
        status,
        "text/plain; charset=utf-8",
        (text + "\n").getBytes(StandardCharsets.UTF_8),
        List.of("X-Content-Type-Options", "nosniff"),
        false);
  }

  /// An answer to an unknown path.
  public static HttpReply notFound() {
    return error(404, "404 page not found");
  }

  /// An answer to a known path with the wrong method.
  public static HttpReply methodNotAllowed(String allowed) {
    return error(405, "Method Not Allowed").with("Allow", allowed);
  }

  /// The same with one more header.
  public HttpReply with(String name, String value) {
    List<String> more = new ArrayList<>(headers);
    more.add(name);
    more.add(value);
    return new HttpReply(status, contentType, body, more, close);
  }

  /// The same, ending the connection.
  public HttpReply closing() {
    return new HttpReply(status, contentType, body, headers, true);
  }
}
