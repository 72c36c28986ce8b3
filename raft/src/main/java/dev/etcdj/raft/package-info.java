/// The consensus state machine (Ongaro's thesis, with the extensions etcd made): messages and ticks
/// in, a `Ready` out. No disk, socket, thread, clock or randomness of its own.
///
/// Read in this order: `RawNode` (what an owner calls, and the contract of both storage modes),
/// `Ready`, `Raft` (the step function, elections, followers), `Leadership` (one reign: replication,
/// reads, transfer, configuration changes), then the packages they stand on: `log`, `quorum`,
/// `confchange`, `tracker`, `readindex`. `Outbox`, `ElectionTimer` and `Candidacy` are small parts
/// of `Raft`.
///
/// | in                                | out                                                   |
/// |-----------------------------------|-------------------------------------------------------|
/// | ticks, proposals, reads           | messages for peers                                    |
/// | messages of peers                 | entries, hard state, snapshot to make durable         |
/// | answers of storage                | committed entries to apply, answers to reads          |
///
/// | thread    | owns                                | may block on |
/// |-----------|-------------------------------------|--------------|
/// | raft-loop | a `RawNode` and all that it reaches | nothing      |
///
/// Invariants, checked after every call when assertions are on: applied ≤ applying ≤ committed ≤
/// lastIndex; term and commit index never go back; one vote a term; nothing that attests durability
/// leaves before what it attests is durable; a leader's last entry is of its term. Breaking one is
/// an `InvariantViolation`, and the member must stop.
@NullMarked
package dev.etcdj.raft;

import org.jspecify.annotations.NullMarked;
