/// The versioned store: every key at every revision since the last compaction.
///
/// Read in this order: [dev.etcdj.mvcc.KvStore] (the whole interface), [dev.etcdj.mvcc.RangeQuery]
/// and `RangeReader` (reads), [dev.etcdj.mvcc.RangeView] (large ones, values left in place),
/// [dev.etcdj.mvcc.WriteTxn], `TxnPlan`, `WriteChecks` and `StoreWrite` (writes),
/// `Published` (where the two meet), `StoredState` (opening); then the packages `index` (which
/// revisions a key has), `backend` (where their values are), `compaction`, `hash`, `watch`.
///
/// A write goes index → unit → publish the unit → publish index and revision → events. A read goes
/// index and revision → backend view → values. The two orders are why a reader finds every value
/// its index names, except one that a compaction decided in between has removed: then it reads
/// again.
///
/// | thread     | owns                       | hands to            | may block on             |
/// |------------|----------------------------|---------------------|--------------------------|
/// | apply-loop | the index, the open write  | event sink, agent   | a full backend (publish) |
/// | compaction | the running compaction     | backend, hash log   | nothing: skips its turn  |
/// | any        | its own reading            |                     | a backend read           |
///
/// Invariants: a revision is visible as a whole or not at all; revisions grow by one per write that
/// changed something and survive whatever a compaction removes; an operation that cannot be done is
/// refused before anything of its transaction is; every member that applied the same entries holds
/// the same rows.
@NullMarked
package dev.etcdj.mvcc;

import org.jspecify.annotations.NullMarked;
