package dev.etcdj.server.peer;

/// What the transport counts (etcd_network_*). Any thread; cheap.
public interface PeerMetrics {
  /// Counts nothing.
  PeerMetrics NONE = id -> new ForPeer() {};

  /// The counters of one peer; 0 stands for a sender that did not say who it is. The transport
  /// keeps what it is given for as long as it knows the peer.
  ForPeer peer(long id);

  /// Counters of one peer.
  interface ForPeer {
    default void sentBytes(long bytes) {}

    default void receivedBytes(long bytes) {}

    default void sendFailed() {}

    default void receiveFailed() {}

    /// The first stream of the peer came up, or the last one went down.
    default void active(boolean connected) {}

    /// The last stream of the peer was lost.
    default void disconnected() {}

    /// The peer became a member or ceased to be one.
    default void known(boolean member) {}

    default void roundTrip(long nanos) {}

    default void snapshotSending(int change) {}

    default void snapshotSent(boolean failed, long nanos) {}

    default void snapshotReceiving(int change) {}

    default void snapshotReceived(boolean failed, long nanos) {}
  }
}
