package dev.etcdj.raft;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.message.Message;
import java.util.List;

/// One member's consensus state machine. Single-threaded: all calls come from the owner's thread.
public final class RawNode {
  /// Whether a proposal or message was taken.
  public sealed interface Outcome permits Accepted, Dropped {}

  /// Taken; says nothing about being committed.
  public record Accepted() implements Outcome {}

  /// Refused for good, nothing was changed (RAFT-60, RAFT-24).
  public record Dropped(String reason) implements Outcome {}

  /// A member of a fresh log (RAFT-4).
  public record Peer(long id, Bytes context) {}

  public RawNode(RaftConfig config) {
    throw new UnsupportedOperationException("raft");
  }

  /// Writes the first entries of a fresh log (RAFT-4). `peers` ascending by id.
  public void bootstrap(List<Peer> peers) {
    throw new UnsupportedOperationException("raft");
  }

  /// One tick of the logical clock.
  public void tick() {
    throw new UnsupportedOperationException("raft");
  }

  /// Counts one tick towards the election without acting on it (RAFT-112).
  public void tickQuiesced() {
    throw new UnsupportedOperationException("raft");
  }

  public Outcome campaign() {
    throw new UnsupportedOperationException("raft");
  }

  public Outcome propose(Bytes data) {
    throw new UnsupportedOperationException("raft");
  }

  /// Proposes several normal entries at once; all or none are taken.
  public Outcome propose(List<Bytes> data) {
    throw new UnsupportedOperationException("raft");
  }

  public Outcome proposeConfChange(ConfChange change) {
    throw new UnsupportedOperationException("raft");
  }

  /// Puts a committed change into force (RAFT-91); call it before applying later entries.
  public ConfState applyConfChange(ConfChange change) {
    throw new UnsupportedOperationException("raft");
  }

  /// Takes a message from a peer, or a response that a storage message carried.
  public Outcome step(Message message) {
    throw new UnsupportedOperationException("raft");
  }

  public boolean hasReady() {
    throw new UnsupportedOperationException("raft");
  }

  public Ready ready() {
    throw new UnsupportedOperationException("raft");
  }

  /// Synchronous mode only: the last Ready is dealt with (RAFT-12).
  public void advance() {
    throw new UnsupportedOperationException("raft");
  }

  public void reportUnreachable(long id) {
    throw new UnsupportedOperationException("raft");
  }

  public void reportSnapshot(long id, boolean failed) {
    throw new UnsupportedOperationException("raft");
  }

  public void transferLeader(long transferee) {
    throw new UnsupportedOperationException("raft");
  }

  public Outcome forgetLeader() {
    throw new UnsupportedOperationException("raft");
  }

  public void readIndex(Bytes context) {
    throw new UnsupportedOperationException("raft");
  }

  public Status status() {
    throw new UnsupportedOperationException("raft");
  }
}
