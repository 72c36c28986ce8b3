/// What a leader knows of each member's log and how it paces what it sends (thesis §10.2.1).
///
/// Read in this order: `ProgressState`, `Inflights`, `Progress`, `ProgressTracker`.
@NullMarked
package dev.etcdj.raft.tracker;

import org.jspecify.annotations.NullMarked;
