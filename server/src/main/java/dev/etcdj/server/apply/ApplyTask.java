package dev.etcdj.server.apply;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.Snapshot;
import java.util.List;

/// What the raft loop hands to the apply loop, in order. `done` is called on the apply loop when
/// everything in the task is applied.
public sealed interface ApplyTask {
  /// Committed entries, contiguous, durable on this member.
  record Entries(List<Entry> entries, Runnable done) implements ApplyTask {}

  /// A leader's snapshot that is durable beside the store and now replaces its contents.
  record Install(Snapshot snapshot, Runnable done) implements ApplyTask {}
}
