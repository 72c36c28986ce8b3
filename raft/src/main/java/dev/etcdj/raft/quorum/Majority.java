package dev.etcdj.raft.quorum;

/// Majority arithmetic over one set of voters (thesis §3). An empty set agrees with everything,
/// so that it can stand as the unused half of a [JointQuorum].
///
/// Not thread-safe: [#committed] sorts in a scratch array of its own, because it runs once for
/// every acknowledgement a leader receives.
public final class Majority {
  private final IdSet voters;
  private final long[] scratch;

  public Majority(IdSet voters) {
    this.voters = voters;
    this.scratch = new long[voters.size()];
  }

  /// The voters.
  public IdSet voters() {
    return voters;
  }

  /// Highest position that a majority acknowledged; [Long#MAX_VALUE] without voters.
  public long committed(AckedIndexes acked) {
    int n = scratch.length;
    if (n == 0) {
      return Long.MAX_VALUE;
    }
    for (int i = 0; i < n; i++) {
      long position = acked.of(voters.get(i));
      int at = i;
      for (; at > 0 && scratch[at - 1] > position; at--) {
        scratch[at] = scratch[at - 1];
      }
      scratch[at] = position;
    }
    return scratch[(n - 1) / 2];
  }

  /// How an election among these voters stands.
  public VoteResult result(Ballot.Box box) {
    int granted = 0;
    int missing = 0;
    int n = voters.size();
    for (int i = 0; i < n; i++) {
      switch (box.of(voters.get(i))) {
        case GRANTED -> granted++;
        case MISSING -> missing++;
        case REJECTED -> {}
      }
    }
    int quorum = n / 2 + 1;
    if (n == 0 || granted >= quorum) {
      return VoteResult.WON;
    }
    return granted + missing >= quorum ? VoteResult.PENDING : VoteResult.LOST;
  }
}
