/// Reads that must see every acknowledged write: [dev.etcdj.server.read.LinearizableReads], and
/// what waits for an index to be applied: [dev.etcdj.server.read.AppliedWaits].
///
/// | thread     | does                                             |
/// |------------|--------------------------------------------------|
/// | rpc-*      | joins the next round, begins one if none runs    |
/// | raft-loop  | brings the quorum's answers and leader changes   |
/// | apply-loop | releases what waited for an index                |
/// | timers     | retries and expires rounds                       |
///
/// Lock order: the two locks here are leaves and never held together; callbacks run outside them.
@NullMarked
package dev.etcdj.server.read;

import org.jspecify.annotations.NullMarked;
