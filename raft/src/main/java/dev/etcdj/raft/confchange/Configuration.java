package dev.etcdj.raft.confchange;

import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.quorum.IdSet;
import dev.etcdj.raft.quorum.JointQuorum;

/// Who belongs to the cluster, and as what (thesis §4).
///
/// Invariants: learners vote in neither half; `learnersNext` are voters of the outgoing half that
/// become learners on leaving it, so they are in neither `incoming` nor `learners`; without an
/// outgoing half there are no `learnersNext` and no `autoLeave`.
public record Configuration(
    IdSet incoming, IdSet outgoing, IdSet learners, IdSet learnersNext, boolean autoLeave) {

  /// Nobody.
  public static final Configuration EMPTY =
      new Configuration(IdSet.EMPTY, IdSet.EMPTY, IdSet.EMPTY, IdSet.EMPTY, false);

  public Configuration {
    incoming.checkInvariants();
    outgoing.checkInvariants();
    learners.checkInvariants();
    learnersNext.checkInvariants();
    boolean disjoint =
        learners.isDisjoint(incoming)
            && learners.isDisjoint(outgoing)
            && learnersNext.isDisjoint(incoming)
            && learnersNext.isDisjoint(learners);
    boolean nextWereVoters = learnersNext.union(outgoing).equals(outgoing);
    boolean plainIsPlain = !outgoing.isEmpty() || !autoLeave;
    if (!disjoint || !nextWereVoters || !plainIsPlain) {
      throw new InvariantViolation(
          "impossible configuration: voters %s && %s, learners %s, next %s, autoleave %s"
              .formatted(incoming, outgoing, learners, learnersNext, autoLeave));
    }
  }

  /// The configuration that `state` recorded (RAFT-101).
  public static Configuration restore(ConfState state) {
    Configuration restored =
        new Configuration(
            IdSet.of(state.voters()),
            IdSet.of(state.votersOutgoing()),
            IdSet.of(state.learners()),
            IdSet.of(state.learnersNext()),
            state.autoLeave());
    restored.checkReproduces(state);
    return restored;
  }

  private void checkReproduces(ConfState state) {
    ConfState mine = confState();
    boolean same =
        mine.voters().size() == state.voters().size()
            && mine.votersOutgoing().size() == state.votersOutgoing().size()
            && mine.learners().size() == state.learners().size()
            && mine.learnersNext().size() == state.learnersNext().size();
    if (!same) {
      throw new InvariantViolation("configuration with a repeated node: " + state);
    }
  }

  /// The same, in the form that is stored.
  public ConfState confState() {
    return new ConfState(
        incoming.toList(), learners.toList(), outgoing.toList(), learnersNext.toList(), autoLeave);
  }

  /// Whether two sets of voters must agree.
  public boolean isJoint() {
    return !outgoing.isEmpty();
  }

  /// Whether `id` votes in either half.
  public boolean isVoter(long id) {
    return incoming.contains(id) || outgoing.contains(id);
  }

  /// Whether `id` is a learner now.
  public boolean isLearner(long id) {
    return learners.contains(id);
  }

  /// Voters of both halves.
  public IdSet voters() {
    return incoming.union(outgoing);
  }

  /// Everybody who gets entries.
  public IdSet members() {
    return voters().union(learners);
  }

  /// Whether one voter decides alone.
  public boolean isSingleVoter() {
    return incoming.size() == 1 && outgoing.isEmpty();
  }

  /// The quorum arithmetic of this configuration.
  public JointQuorum quorum() {
    return new JointQuorum(incoming, outgoing);
  }
}
