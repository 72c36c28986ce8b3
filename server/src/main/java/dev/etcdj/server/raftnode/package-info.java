/// The raft loop: one thread at a time steps the consensus state machine.
///
/// Read in this order: [RaftHandle] (what others may ask), [RaftLoop] (the loop), [ReadyPump]
/// (where a `Ready` goes), [LogKeeper] (snapshot marks and compaction of the log).
///
/// | thread    | owns                      | receives             | hands to                    |
/// |-----------|---------------------------|----------------------|-----------------------------|
/// | raft-loop | RawNode, MemoryLog, ticks | inbox (4096),        | wal-sync, apply-loop, peers |
/// |           |                           | answers (bounded by  |                             |
/// |           |                           | what was handed out) |                             |
///
/// It blocks on nothing. While its thread sleeps, others may take its turn as visitors
/// ([dev.etcdj.server.agent.AgentRunner]).
///
/// The loop never waits for a disk: a stalled disk fills the log writer's queue, then the loop
/// stops taking proposals, then the inbox is full and clients are told so. Heartbeats go on.
///
/// Invariants: a message that attests durability is sent only after the log writer has answered;
/// storage work is handed over in the order raft gave it; applied ≤ committed.
@NullMarked
package dev.etcdj.server.raftnode;

import org.jspecify.annotations.NullMarked;
