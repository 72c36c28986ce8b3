package dev.etcdj.raft.log;

import java.util.List;

/// The configuration in force: ids ascending in each list. `votersOutgoing` is empty unless joint.
public record ConfState(
    List<Long> voters,
    List<Long> learners,
    List<Long> votersOutgoing,
    List<Long> learnersNext,
    boolean autoLeave) {
  /// No members at all.
  public static final ConfState EMPTY =
      new ConfState(List.of(), List.of(), List.of(), List.of(), false);

  public ConfState {
    voters = List.copyOf(voters);
    learners = List.copyOf(learners);
    votersOutgoing = List.copyOf(votersOutgoing);
    learnersNext = List.copyOf(learnersNext);
  }

  /// A configuration of voters alone.
  public static ConfState ofVoters(List<Long> voters) {
    return new ConfState(voters, List.of(), List.of(), List.of(), false);
  }
}
