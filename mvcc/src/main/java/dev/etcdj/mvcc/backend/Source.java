package dev.etcdj.mvcc.backend;

import org.jspecify.annotations.Nullable;

/// A position in an ordered run of pairs. One thread.
interface Source {
  /// The key stood on, or null at the end. Stays valid after [#next].
  byte @Nullable [] key();

  /// The value there; null is a tombstone. Undefined at the end.
  byte @Nullable [] value();

  /// Moves on by one; illegal at the end.
  void next();

  /// Gives up what the position holds on to.
  default void close() {}
}
