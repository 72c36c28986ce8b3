/// The replicated log: its values, what storage must offer, and what is on the way to storage.
///
/// Read in this order: `Entry`, `HardState`, `Snapshot`, `LogReader` (values and the contract with
/// storage), `RaftLog` (the whole as the state machine sees it), `UnstableLog`, `EntryBuffer`;
/// `MemoryLog` is the reader that members use.
///
/// Invariants: applied ≤ applying ≤ committed ≤ lastIndex; a slice that was given out never
/// changes.
@NullMarked
package dev.etcdj.raft.log;

import org.jspecify.annotations.NullMarked;
