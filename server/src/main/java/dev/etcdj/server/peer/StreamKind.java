package dev.etcdj.server.peer;

/// The two long-lived streams between members (peer protocol, streams).
enum StreamKind {
  /// Append messages, with runs of them squeezed.
  MSGAPP("msgapp"),
  /// Everything else.
  MESSAGE("message");

  private final String path;

  StreamKind(String path) {
    this.path = path;
  }

  /// Last-but-one part of the URL path.
  String path() {
    return path;
  }

  /// A writer in the state of a fresh connection.
  StreamEncoder encoder() {
    return switch (this) {
      case MSGAPP -> new MsgAppEncoder();
      case MESSAGE -> new MessageEncoder();
    };
  }
}
