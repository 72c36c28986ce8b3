package dev.etcdj.server.raftnode;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// What the raft loop offers the rest of the member. Any thread; nothing here blocks. Hand-over
/// goes through a bounded inbox: false means it is full and nothing was taken.
public interface RaftHandle {
  /// Proposes a normal entry. Waits inside while no leader is known (RAFT-142).
  ///
  /// @param dropped called on the raft loop if raft refuses it for good (KV-27)
  boolean propose(Bytes data, Runnable dropped);

  /// Proposes a configuration change. As [#propose].
  boolean proposeConfChange(ConfChange change, Runnable dropped);

  /// Asks for a read index; the answer comes as a [dev.etcdj.raft.ReadState] or not at all.
  boolean readIndex(Bytes context);

  /// Takes messages that a peer sent together. If the loop sleeps, the calling thread does its
  /// work.
  ///
  /// @return how many of them were taken; the others are lost, as in a network
  int step(List<Message> messages);

  /// Takes a message from a peer, as [#step(List)].
  default boolean step(Message message) {
    return step(List.of(message)) == 1;
  }

  /// The last message to `id` was not delivered.
  void reportUnreachable(long id);

  /// The snapshot sent to `id` arrived or failed.
  void reportSnapshot(long id, boolean failed);

  /// Asks raft to hand leadership to `id`.
  void transferLeader(long id);

  /// Puts a committed change into force; the apply loop waits for it before later entries.
  CompletableFuture<ConfState> applyConfChange(ConfChange change);

  /// State as of the last turn of the loop.
  RaftView view();

  /// Reading of the injected nano clock at the loop's last tick (LEASE-52).
  long lastTickNanos();
}
