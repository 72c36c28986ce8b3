package dev.etcdj.simulation.check;

import dev.etcdj.simulation.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// A lease lives as long as its client was told, and not for ever.
///
/// The client's side of time counts: from when it asked. The allowance is the skew of clocks, for
/// the leader measures the time to live by its own.
public final class Leases {
  private static final String NOT_EARLY = "a lease does not expire early";
  private static final long SECOND = 1_000_000_000L;

  private final World world;
  private final Map<Long, Long> promisedUntil = new HashMap<>();
  private final Map<Long, Long> endedAt = new HashMap<>();
  private final Set<Long> revokedByClient = new HashSet<>();

  Leases(World world) {
    this.world = world;
  }

  /// A client was told that its lease lives for `ttlSeconds` from some time after `askedNanos`.
  public void promised(long id, long askedNanos, long ttlSeconds) {
    long until =
        askedNanos + (long) (ttlSeconds * SECOND / (1 + world.scenario().clockSkew())) - 1_000;
    promisedUntil.merge(id, until, Math::max);
    Long ended = endedAt.get(id);
    Broken.unless(
        ended == null || ended >= until || revokedByClient.contains(id),
        NOT_EARLY,
        () -> "lease " + id + " ended at " + ended + ", a renewal promised it until " + until);
  }

  /// A client is about to ask for the end of its lease.
  public void revoking(long id) {
    revokedByClient.add(id);
  }

  /// The end of a lease was applied for the first time.
  void revoked(long id) {
    endedAt.putIfAbsent(id, world.time().now());
    if (revokedByClient.contains(id)) {
      return;
    }
    world.stats().expiries++;
    Long until = promisedUntil.get(id);
    Broken.unless(
        until == null || world.time().now() >= until,
        NOT_EARLY,
        () -> "lease " + id + " expires at " + world.time().now() + ", promised until " + until);
  }

  /// Whether a lease has ended.
  public boolean hasEnded(long id) {
    return endedAt.containsKey(id);
  }
}
