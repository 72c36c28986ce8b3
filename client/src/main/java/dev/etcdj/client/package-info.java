/// The Java client: [Client] is the way in, [ClientConfig] says where the cluster is.
///
/// Read in this order: `Client`, then the package of an API (`kv`, `watch`, `lease`, `cluster`,
/// `maintenance`), then `transport`, on which all of them stand.
///
/// | thread          | owns                                   | receives            | may block on
// |
///
// |-----------------|----------------------------------------|---------------------|--------------|
/// | etcd-client-N-M | connections, retries, renewals of leases | answers, timers   | nothing
// |
///
/// There are at most two such threads in a JVM, shared by all clients; futures complete on them.
///
/// Invariants: every failure is an `EtcdException`; a change is sent a second time only when the
/// first can not have reached a member; nothing here grows with the slowness of a reader.
@NullMarked
package dev.etcdj.client;

import org.jspecify.annotations.NullMarked;
