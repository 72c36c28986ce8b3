package dev.etcdj.mvcc;

import dev.etcdj.mvcc.index.IndexView;

/// What readers see, replaced whole by one volatile write.
///
/// Invariant: no change in `index` is newer than `revision`; compacted ≤ revision.
///
/// @param revision current main revision, at least 1
/// @param compacted compacted revision, -1 for none
record Published(IndexView index, long revision, long compacted) {
  Published withCompacted(long newer) {
    return new Published(index, revision, newer);
  }

  Published withIndex(IndexView pruned) {
    return new Published(pruned, revision, compacted);
  }
}
