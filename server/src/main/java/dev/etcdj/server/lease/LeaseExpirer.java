package dev.etcdj.server.lease;

import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.Timers;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Revokes what has expired, on the leader (LEASE-35..37): looks every half second, confirms that
/// it leads, proposes ordinary revokes. At most so many are under way; each that is done makes
/// room for the next at once, so leases that fall due together do not wait for later looks.
public final class LeaseExpirer {
  private static final long LOOK_NANOS = 500_000_000L;
  private static final int MAX_UNDER_WAY = 512;

  private final Lessor lessor;
  private final LeadershipCheck leadership;
  private final Proposer proposer;
  private final long offerAgainNanos;
  private final AtomicInteger underWay = new AtomicInteger();

  /// @param offerAgainNanos after which a revoke that did not come is proposed again (LEASE-37)
  public LeaseExpirer(
      Lessor lessor, LeadershipCheck leadership, Proposer proposer, long offerAgainNanos) {
    this.lessor = lessor;
    this.leadership = leadership;
    this.proposer = proposer;
    this.offerAgainNanos = offerAgainNanos;
  }

  /// Begins to look from `timers`.
  public void start(Timers timers) {
    timers.every(LOOK_NANOS, this::look);
  }

  void look() {
    if (lessor.hasOverdue()) {
      leadership.confirm(this::revokeOverdue, () -> {});
    }
  }

  private void revokeOverdue() {
    List<Long> overdue = lessor.takeOverdue(MAX_UNDER_WAY - underWay.get(), offerAgainNanos);
    for (long id : overdue) {
      underWay.incrementAndGet();
      var request = LeaseRevokeRequest.newBuilder().setID(id).build();
      var _ =
          proposer.propose(InternalRaftRequest.LEASE_REVOKE_FIELD_NUMBER, request, _ -> revoked());
    }
  }

  /// Goes on when half of the room is free again, so that a look is shared by many.
  private void revoked() {
    if (underWay.decrementAndGet() == MAX_UNDER_WAY / 2) {
      look();
    }
  }
}
