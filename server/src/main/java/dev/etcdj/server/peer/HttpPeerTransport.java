package dev.etcdj.server.peer;

import dev.etcdj.raft.message.Message;
import dev.etcdj.server.http.EventLoops;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// etcd's peer protocol over Netty, sending side: streams that peers have opened here, single
/// posts to those that have not, snapshots on their own connections. [PeerServer] is the
/// receiving side and hands new streams over to this.
public final class HttpPeerTransport implements PeerTransport, AutoCloseable {
  /// Senders that are no members but have shown the right cluster id; one more is not remembered.
  static final int MAX_REMOTES = 64;

  private final PeerContext context;
  private final SnapshotSender snapshots;

  // Replaced as a whole under the lock; read without it by the raft loop. A linear search beats a
  // map of boxed ids for the handful of members a cluster has.
  private volatile RemotePeer[] peers = new RemotePeer[0];
  private boolean closed;

  /// @param dialTimeoutMillis a second and the election timeout (LIM-45)
  /// @param nanoClock for durations, in step with the rest of the member's
  /// @param wallClock told to peers that probe, compared with theirs
  public HttpPeerTransport(
      PeerIdentity identity,
      PeerEvents events,
      PeerMetrics metrics,
      EventLoops loops,
      int dialTimeoutMillis,
      LongSupplier nanoClock,
      InstantSource wallClock) {
    Dialer dialer = new Dialer(loops, dialTimeoutMillis);
    this.context =
        new PeerContext(
            identity, events, metrics, dialer, new PeerClient(dialer), nanoClock, wallClock);
    this.snapshots = new SnapshotSender(context);
  }

  /// What the receiving side shares with this.
  PeerContext context() {
    return context;
  }

  /// The client for other calls to peers, on the same connections.
  public PeerClient client() {
    return context.client();
  }

  @Override
  public void send(List<Message> messages) {
    for (int i = 0; i < messages.size(); i++) {
      if (messages.get(i) instanceof Message.AppendResponse response) {
        RemotePeer peer = find(response.to());
        if (peer != null) {
          peer.noteResponse(response);
        }
      }
    }
    for (int i = 0; i < messages.size(); i++) {
      switch (messages.get(i)) {
        case Message.InstallSnapshot snapshot -> {
          RemotePeer peer = find(snapshot.to());
          if (peer != null) {
            snapshots.send(peer, snapshot);
          }
        }
        case Message.Remote remote -> {
          RemotePeer peer = find(remote.to());
          if (peer != null) {
            peer.queue(remote);
          }
        }
        case Message.Local local ->
            throw new IllegalArgumentException(
                local.getClass().getSimpleName() + " never leaves a member (RAFT-24)");
      }
    }
    for (RemotePeer peer : peers) {
      peer.flush();
    }
  }

  @Override
  public synchronized void addPeer(long id, List<String> urls) {
    if (closed || id == context.identity().self()) {
      return;
    }
    RemotePeer peer = find(id);
    if (peer == null) {
      peer = new RemotePeer(id, urls, context);
      add(peer);
    } else {
      peer.urls().replace(urls);
    }
    peer.join();
  }

  /// Remembers a sender that is no member, so that it can be answered (CLUS-113).
  synchronized void addRemote(long id, List<String> urls) {
    if (closed || id == context.identity().self() || find(id) != null) {
      return;
    }
    long remotes = Arrays.stream(peers).filter(peer -> !peer.isMember()).count();
    if (remotes < MAX_REMOTES) {
      add(new RemotePeer(id, urls, context));
    }
  }

  @Override
  public synchronized void removePeer(long id) {
    List<RemotePeer> rest = new ArrayList<>();
    for (RemotePeer peer : peers) {
      if (peer.id() == id) {
        peer.stop();
      } else {
        rest.add(peer);
      }
    }
    peers = rest.toArray(RemotePeer[]::new);
  }

  @Override
  public long activeSince(long id) {
    RemotePeer peer = find(id);
    return peer == null ? 0 : peer.activeSince();
  }

  /// The peer of that id, member or remote, or null.
  @Nullable RemotePeer find(long id) {
    for (RemotePeer peer : peers) {
      if (peer.id() == id) {
        return peer;
      }
    }
    return null;
  }

  private void add(RemotePeer peer) {
    RemotePeer[] more = Arrays.copyOf(peers, peers.length + 1);
    more[peers.length] = peer;
    peers = more;
  }

  /// Stops talking to everybody. The event loops are the caller's.
  @Override
  public synchronized void close() {
    closed = true;
    for (RemotePeer peer : peers) {
      peer.stop();
    }
    peers = new RemotePeer[0];
  }
}
