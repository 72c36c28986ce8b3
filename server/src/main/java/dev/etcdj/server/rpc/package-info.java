/// The gRPC services of the client port, one class each, on the server's event loops.
///
/// Read in this order: `UnaryCall` and `CallLoop` (how a call waits without a thread), `KvService`,
/// `WatchService`, `Validation`, then `Methods`, `WireMessage`, `Replies` (how bytes pass through
/// unparsed).
///
/// | thread     | does                                                         | may block on |
/// |------------|--------------------------------------------------------------|--------------|
/// | rpc-*      | everything a call does: check, propose, read, encode, send   | nothing      |
/// | apply-loop | hands results to a call's loop                               | nothing      |
/// | big-reads  | reads of large ranges: read, encode, send                    | the store    |
///
/// Invariants: a call's state is touched on its own loop only; a call is answered once; no
/// response is parsed or copied on its way from the store to the transport, and what a large range
/// holds is not even brought to the heap; the store is read by no call that waits for its client.
@NullMarked
package dev.etcdj.server.rpc;

import org.jspecify.annotations.NullMarked;
