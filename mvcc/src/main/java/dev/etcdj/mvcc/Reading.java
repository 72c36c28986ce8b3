package dev.etcdj.mvcc;

import dev.etcdj.mvcc.index.IndexView;

/// One consistent state of the store to read from.
interface Reading {
  IndexView index();

  /// What response headers report.
  long revision();

  /// Revision before which nothing can be read.
  long compacted();

  /// The stored change of that revision, wire-form.
  byte[] value(long main, int sub);
}
