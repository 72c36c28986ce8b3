package dev.etcdj.raft;

import dev.etcdj.raft.message.Message;
import java.util.ArrayList;
import java.util.List;

/// Messages that wait for the next Ready, kept apart by whether they attest durability (RAFT-13).
/// Bounded by what is stepped between two Readys: a step leaves at most a few per member.
final class Outbox {
  private List<Message> now = new ArrayList<>();
  private List<Message> whenDurable = new ArrayList<>();

  /// Leaves with the next Ready.
  void send(Message message) {
    assert !attestsDurability(message) : message;
    now.add(message);
  }

  /// Leaves once everything is durable that stands in the next Ready. May be addressed to the
  /// node itself.
  void sendWhenDurable(Message message) {
    assert attestsDurability(message) : message;
    whenDurable.add(message);
  }

  boolean isEmpty() {
    return now.isEmpty() && whenDurable.isEmpty();
  }

  boolean hasDeferred() {
    return !whenDurable.isEmpty();
  }

  /// Messages that may leave at once; the list is the caller's.
  List<Message> takeNow() {
    List<Message> taken = now;
    now = new ArrayList<>();
    return taken;
  }

  /// Messages that must wait; the list is the caller's.
  List<Message> takeDeferred() {
    List<Message> taken = whenDurable;
    whenDurable = new ArrayList<>();
    return taken;
  }

  private static boolean attestsDurability(Message message) {
    return message instanceof Message.AppendResponse
        || message instanceof Message.VoteResponse
        || message instanceof Message.PreVoteResponse;
  }
}
