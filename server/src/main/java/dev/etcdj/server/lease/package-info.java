/// Leases: records changed by apply, expiry times kept by the leader.
///
/// Read in this order: [dev.etcdj.server.lease.Lessor], `LeaseExpirer`, `LeaseRenewals`.
@NullMarked
package dev.etcdj.server.lease;

import org.jspecify.annotations.NullMarked;
