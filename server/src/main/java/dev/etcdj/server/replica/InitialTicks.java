package dev.etcdj.server.replica;

import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.peer.PeerTransport;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.raftnode.RaftLoop;
import org.jspecify.annotations.Nullable;

/// Shortens the first election wait after a start (RAFT-112): a single member need not wait for
/// anybody, others need not once they have found each other, because a leader would have been
/// heard by then.
final class InitialTicks {
  private static final long LOOK_NANOS = 100_000_000L;
  private static final int MAX_LOOKS = 50;

  private final RaftLoop raft;
  private final Membership membership;
  private final PeerTransport peers;
  private final int electionTicks;
  private Timers.@Nullable Handle looking;
  private int looks;

  InitialTicks(RaftLoop raft, Membership membership, PeerTransport peers, int electionTicks) {
    this.raft = raft;
    this.membership = membership;
    this.peers = peers;
    this.electionTicks = electionTicks;
  }

  /// @param alone whether this member is the only one
  void start(Timers timers, boolean alone) {
    if (alone) {
      raft.advanceTicks(electionTicks - 1);
    } else {
      looking = timers.every(LOOK_NANOS, this::look);
    }
  }

  private void look() {
    long active =
        membership.members().stream()
            .map(Member::id)
            .filter(id -> id != membership.self() && peers.activeSince(id) != 0)
            .count();
    boolean found = active > 0 && !raft.view().hasLeader();
    if (found) {
      raft.advanceTicks(electionTicks - 2);
    }
    if ((found || raft.view().hasLeader() || ++looks >= MAX_LOOKS) && looking != null) {
      looking.cancel();
    }
  }
}
