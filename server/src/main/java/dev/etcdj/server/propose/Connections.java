package dev.etcdj.server.propose;

/// Which members this one has been in touch with, and since when.
@FunctionalInterface
public interface Connections {
  /// Nano-clock reading since when the connection to `id` stands without a break, 0 when it does
  /// not.
  long activeSince(long id);
}
