package dev.etcdj.raft.quorum;

/// Agreement of both halves of a joint configuration (thesis §4.3). `outgoing` is empty unless a
/// change is under way, and then only `incoming` counts. Not thread-safe, as [Majority].
public final class JointQuorum {
  private final Majority incoming;
  private final Majority outgoing;

  public JointQuorum(IdSet incoming, IdSet outgoing) {
    this.incoming = new Majority(incoming);
    this.outgoing = new Majority(outgoing);
  }

  /// Voters of the new configuration.
  public IdSet incoming() {
    return incoming.voters();
  }

  /// Voters of the old configuration; empty unless joint.
  public IdSet outgoing() {
    return outgoing.voters();
  }

  /// Highest position acknowledged by a majority of each half.
  public long committed(AckedIndexes acked) {
    return Math.min(incoming.committed(acked), outgoing.committed(acked));
  }

  /// Won only if won in both halves, lost if lost in either (RAFT-39).
  public VoteResult result(Ballot.Box box) {
    VoteResult in = incoming.result(box);
    VoteResult out = outgoing.result(box);
    if (in == VoteResult.LOST || out == VoteResult.LOST) {
      return VoteResult.LOST;
    }
    return in == VoteResult.WON && out == VoteResult.WON ? VoteResult.WON : VoteResult.PENDING;
  }
}
