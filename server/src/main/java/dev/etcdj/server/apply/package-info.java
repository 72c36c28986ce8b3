/// Turns committed entries into store changes, strictly in log order.
///
/// Read in this order: [dev.etcdj.server.apply.Command], [dev.etcdj.server.apply.ApplyLoop],
/// [dev.etcdj.server.apply.Applier], `Executor`, [dev.etcdj.server.apply.Stores].
///
/// | thread     | owns                              | receives                  | hands to
//    | may block on            |
///
// |------------|-----------------------------------|---------------------------|----------------------|-------------------------|
/// | apply-loop | applied index, the write side of all stores | batches (bounded) | waiters, read
// waits  | a full backend batch |
///
/// Invariants: the consistent index and an entry's effects are published in one unit; a command
/// reads no clock, randomness or configuration, so every member does the same; a refusal leaves
/// nothing behind; what throws here stops the member.
@NullMarked
package dev.etcdj.server.apply;

import org.jspecify.annotations.NullMarked;
