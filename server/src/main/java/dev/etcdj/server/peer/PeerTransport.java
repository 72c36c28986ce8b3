package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import java.util.List;

/// Sends raft messages to the other members, in order per peer and channel, and keeps their
/// addresses. Never blocks: what does not fit is dropped and reported as unreachable.
public interface PeerTransport {
  /// Sends messages to their receivers. Raft loop only.
  void send(List<Message> messages);

  /// Begins to talk to a member at these URLs, or changes them.
  void addPeer(long id, List<String> urls);

  /// Stops talking to a member for good.
  void removePeer(long id);

  /// Nano-clock reading since when `id` has had an active stream without a break, 0 when it has
  /// none.
  long activeSince(long id);
}
