/// Leases: [Lease], and [KeepAlive] for one that is renewed until it is closed. `KeepAlives` renews
/// all leases of a client over one stream; its state belongs to one event loop.
@NullMarked
package dev.etcdj.client.lease;

import org.jspecify.annotations.NullMarked;
