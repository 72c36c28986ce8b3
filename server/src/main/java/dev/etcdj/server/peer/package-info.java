/// Talks to the other members: etcd's peer protocol over HTTP/1.1, so that a member of ours and a
/// real etcd can be in one cluster.
///
/// Read in this order: [dev.etcdj.server.peer.HttpPeerTransport] (sending),
/// [dev.etcdj.server.peer.PeerServer] and `RaftRoutes` (receiving), `RemotePeer` (one other
/// member), `OutgoingStream` and `StreamReader` (the two ends of a stream), then the formats:
/// [dev.etcdj.server.peer.RaftCodec], `MsgAppEncoder`, `MessageEncoder` and their decoders.
///
/// Each member dials both streams of every other; the dialed side writes. What has no stream goes
/// by single posts (`Pipeline`), snapshots by `SnapshotSender` and `SnapshotReceiver`.
///
/// | thread | does | may block on |
/// |---|---|---|
/// | raft-loop | routes and queues messages, hands over once per batch | nothing |
/// | event loops | encode, write, read, decode, call [dev.etcdj.server.peer.PeerEvents] | nothing |
/// | virtual, one per transfer | moves a snapshot's contents | disk, the peer |
/// | virtual, one per look-up | resolves a host name | the name server |
///
/// What is bounded: messages and bytes waiting per stream, posts per peer, snapshots in flight,
/// senders that are no members, message and body lengths. What does not fit is dropped and
/// reported as unreachable; raft sends it again.
@NullMarked
package dev.etcdj.server.peer;

import org.jspecify.annotations.NullMarked;
