/// The key index: every key of the store in order, and for each its changes since the compacted
/// revision, in memory. Values are not here; a change is named by its revision, under which the
/// backend holds it.
///
/// Read in this order: [dev.etcdj.mvcc.index.Leaf] (what is kept per key),
/// [dev.etcdj.mvcc.index.KeyIndex] (one writer), [dev.etcdj.mvcc.index.IndexView] (readers).
///
/// | thread     | owns     | may do                                            |
/// |------------|----------|---------------------------------------------------|
/// | apply-loop | KeyIndex | change, freeze, prune                             |
/// | any        |          | read a frozen IndexView, without locks or waiting |
///
/// A frozen view reaches other threads by one volatile write of the store; all it refers to was
/// written before and is not written again.
///
/// Invariants: revisions given to the writer grow; `live` of a node is the number of keys below
/// whose newest change is a put; no change below a node is newer than its `maxMod`.
///
/// Pruning after a compaction runs on the apply loop, a few leaves at a time between writes: the
/// tree keeps one writer, so neither lock nor hand-off is needed, and a write is delayed by the
/// bounded work of one step. Readers keep the nodes they hold.
@NullMarked
package dev.etcdj.mvcc.index;

import org.jspecify.annotations.NullMarked;
