package dev.etcdj.server.lease;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// One lease. Everything in it is guarded by the [Lessor] that made it.
final class Lease {
  final long id;
  // Whole seconds, as raised to the minimum (LEASE-13).
  final long ttlSeconds;
  // 0: no checkpoint (LEASE-82).
  long remainingTtlSeconds;
  final Set<ByteString> keys = new HashSet<>();

  // Meaningful on the primary alone; elsewhere a lease never expires (LEASE-3).
  long expiryNanos;
  // When to look at it next: at expiry, or when an offered revoke is offered again (LEASE-37).
  // Never after expiryNanos unless it was offered.
  long dueNanos;
  // Index in the queue, -1 when not queued.
  int position = -1;
  // Renewals that wait for the revoke of an overdue lease (LEASE-53).
  final List<Lessor.Renewal> waiting = new ArrayList<>(0);

  Lease(long id, long ttlSeconds, long remainingTtlSeconds) {
    this.id = id;
    this.ttlSeconds = ttlSeconds;
    this.remainingTtlSeconds = remainingTtlSeconds;
  }

  /// What a new primary grants it (LEASE-75).
  long inheritedSeconds() {
    return remainingTtlSeconds > 0 ? remainingTtlSeconds : ttlSeconds;
  }
}
