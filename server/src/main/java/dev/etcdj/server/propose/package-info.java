/// From a checked request to an entry in raft's hands, and from the applied entry to the answer.
///
/// Read in this order: [dev.etcdj.server.propose.Proposer], [dev.etcdj.server.propose.Proposal],
/// [dev.etcdj.server.propose.Waiters], [dev.etcdj.server.propose.Timers].
///
/// | thread     | does                                         | hands to        |
/// |------------|----------------------------------------------|-----------------|
/// | rpc-*      | registers a waiter, encodes, hands to raft   | raft-loop inbox |
/// | apply-loop | takes the waiter of an applied entry         | its callback    |
/// | timers     | takes waiters whose time is up               | their callbacks |
///
/// Invariant: a proposal is answered once, by whoever takes it out of the waiters; it is
/// registered before raft can have seen it.
@NullMarked
package dev.etcdj.server.propose;

import org.jspecify.annotations.NullMarked;
