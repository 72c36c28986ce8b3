package dev.etcdj.mvcc.backend;

import org.jspecify.annotations.Nullable;

/// A consistent picture of the store. One thread at a time.
public interface ReadView extends AutoCloseable {
  /// Value of `key`, or null. The array belongs to the store: read only.
  byte @Nullable [] get(Bucket bucket, byte[] key);

  /// Appends the value of `key` to `into`, unread: it is readable from there until this view is
  /// closed.
  ///
  /// @return whether there is such a key
  boolean pin(Bucket bucket, byte[] key, PinnedValues into);

  /// Visits pairs with `from` ≤ key < `to` (`to` null: to the end) in key order until the visitor
  /// returns false. The arrays belong to the store: read only, but they stay valid.
  void scan(Bucket bucket, byte[] from, byte @Nullable [] to, Visitor visitor);

  /// Receives one pair; returns whether to go on.
  @FunctionalInterface
  interface Visitor {
    boolean visit(byte[] key, byte[] value);
  }

  @Override
  void close();
}
