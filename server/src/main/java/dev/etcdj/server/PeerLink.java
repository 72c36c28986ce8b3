package dev.etcdj.server;

import dev.etcdj.raft.message.Message;
import dev.etcdj.server.peer.PeerEvents;
import dev.etcdj.server.peer.SnapshotSource;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Joins the peer transport with the raft loop and the snapshots.
record PeerLink(Member member) implements PeerEvents {
  @Override
  public int received(List<Message> messages) {
    return member.replica().raft().step(messages);
  }

  @Override
  public void unreachable(long id) {
    member.replica().raft().reportUnreachable(id);
  }

  @Override
  public void snapshotSent(long id, boolean failed) {
    member.replica().raft().reportSnapshot(id, failed);
  }

  @Override
  public void receiveSnapshot(long index, InputStream contents) throws IOException {
    member.snapshots().receive(index, contents);
  }

  @Override
  public CompletableFuture<SnapshotSource> openSnapshot() {
    return member.openSnapshot();
  }

  @Override
  public void removedFromCluster() {
    member.fail(
        new IllegalStateException("the member has been permanently removed from the cluster"));
  }
}
