package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// What the peer transport asks of the rest of the member. Called on its event loops, so nothing
/// here blocks except [#receiveSnapshot], which has a virtual thread of its own.
public interface PeerEvents {
  /// Messages came in together.
  ///
  /// @return how many of them the member was not too busy to take
  int received(List<Message> messages);

  /// A message came in; false when the member is too busy to take it.
  default boolean received(Message message) {
    return received(List.of(message)) == 1;
  }

  /// A message to `id` could not be delivered.
  void unreachable(long id);

  /// The snapshot to `id` was delivered or not.
  void snapshotSent(long id, boolean failed);

  /// Stores a snapshot's contents durably under `index` before its message is stepped.
  void receiveSnapshot(long index, InputStream contents) throws IOException;

  /// The applied state, to be sent in place of a raft snapshot message.
  CompletableFuture<SnapshotSource> openSnapshot();

  /// The cluster has removed this member: a peer said so.
  void removedFromCluster();
}
