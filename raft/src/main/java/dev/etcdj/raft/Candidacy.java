package dev.etcdj.raft;

import dev.etcdj.raft.quorum.Ballot;
import dev.etcdj.raft.quorum.JointQuorum;
import dev.etcdj.raft.quorum.VoteResult;
import java.util.HashMap;
import java.util.Map;

/// The answers that one candidate has received in one election.
final class Candidacy {
  private final Map<Long, Ballot> box = new HashMap<>();

  /// Counts the answer of `from`; only the first one of each node counts (RAFT-48).
  void record(long from, boolean granted) {
    box.putIfAbsent(from, granted ? Ballot.GRANTED : Ballot.REJECTED);
  }

  VoteResult result(JointQuorum quorum) {
    return quorum.result(voter -> box.getOrDefault(voter, Ballot.MISSING));
  }
}
