/// Connections and calls: endpoints, balancing, retry rules, credentials, deadlines.
///
/// Read in this order: `Transport` (connections), `Calls` (one call), `UnaryCall` (its attempts),
/// `Retry` (which failures allow another).
///
/// A call waits for a connection until its deadline. With several endpoints calls go round the
/// connected ones, so another attempt reaches another member.
@NullMarked
package dev.etcdj.client.transport;

import org.jspecify.annotations.NullMarked;
