package dev.etcdj.server.raftnode;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.message.Message;
import java.util.concurrent.CompletableFuture;

/// What reaches the raft loop.
sealed interface Input {
  /// Of a client; waits in its queue while no leader is known (RAFT-142).
  sealed interface FromClient extends Input {
    /// Runs when raft refuses it for good.
    Runnable dropped();
  }

  record Proposal(Bytes data, Runnable dropped) implements FromClient {}

  record ConfProposal(ConfChange change, Runnable dropped) implements FromClient {}

  record ReadIndexRequest(Bytes context) implements Input {}

  record Received(Message message) implements Input {}

  record Unreachable(long id) implements Input {}

  record SnapshotReport(long id, boolean failed) implements Input {}

  record Transfer(long to) implements Input {}

  /// Skip this many ticks of the first election wait.
  record AdvanceTicks(int ticks) implements Input {}

  /// The log writer is done with `work`.
  ///
  /// @param durable whether the work was to be made durable, and is
  record Written(Message.StorageAppend work, boolean durable) implements Input {}

  /// The apply loop is done with `work`.
  record Applied(Message.StorageApply work) implements Input {}

  /// A committed configuration change to put into force.
  record ChangeConfiguration(ConfChange change, CompletableFuture<ConfState> inForce)
      implements Input {}

  /// The store is durable up to here, so the log may be cut.
  record Checkpointed(Checkpoint checkpoint) implements Input {}

  /// The checkpoint that was asked for could not be made.
  record CheckpointFailed() implements Input {}
}
