package dev.etcdj.raft;

import dev.etcdj.raft.message.Message;
import java.util.ArrayList;
import java.util.List;

/// What waits for the next Ready: answers to reads, and messages, kept apart by whether they attest
/// durability (RAFT-13). Bounded by what is stepped between two Readys: a step leaves at most a few
/// per member.
final class Outbox {
  private List<Message> now = new ArrayList<>();
  private List<Message> whenDurable = new ArrayList<>();
  private List<ReadState> readStates = new ArrayList<>();

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

  /// A read may be served.
  void add(ReadState state) {
    readStates.add(state);
  }

  boolean isEmpty() {
    return now.isEmpty() && whenDurable.isEmpty() && readStates.isEmpty();
  }

  /// Reads that may be served; the list is the caller's.
  List<ReadState> takeReadStates() {
    if (readStates.isEmpty()) {
      return List.of();
    }
    List<ReadState> taken = readStates;
    readStates = new ArrayList<>();
    return taken;
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
