package dev.etcdj.raft.confchange;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChange.Single;
import dev.etcdj.raft.ConfChange.Transition;
import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.quorum.IdSet;
import java.util.List;

/// Turns one configuration into the next. Pure; a change that must not happen stops the member,
/// because every member applies the same change and a lone refusal would fork the cluster.
public final class Changer {
  private Changer() {}

  /// `from` after `change` (RAFT-92).
  ///
  /// @throws InvariantViolation when the change is not possible from there (RAFT-93, RAFT-94)
  public static Configuration apply(Configuration from, ConfChange change) {
    if (change.leavesJoint()) {
      return leaveJoint(from);
    }
    if (change.transition() != Transition.AUTO || change.changes().size() > 1) {
      return enterJoint(from, change.changes(), change.transition() != Transition.JOINT_EXPLICIT);
    }
    return simple(from, change.changes());
  }

  /// One voter more or less, at once (thesis §4.1, RAFT-93).
  static Configuration simple(Configuration from, List<Single> changes) {
    require(!from.isJoint(), "simple change while in a joint configuration");
    Configuration to = applyToIncoming(from, changes);
    int differing =
        to.incoming().union(from.incoming()).size() * 2
            - to.incoming().size()
            - from.incoming().size();
    require(differing <= 1, "more than one voter changed without a joint configuration");
    return to;
  }

  /// Old and new voters side by side (thesis §4.3, RAFT-94).
  static Configuration enterJoint(Configuration from, List<Single> changes, boolean autoLeave) {
    require(!from.isJoint(), "configuration is joint already");
    require(!from.incoming().isEmpty(), "an empty set of voters cannot become joint");
    Configuration both =
        new Configuration(
            from.incoming(), from.incoming(), from.learners(), IdSet.EMPTY, autoLeave);
    return applyToIncoming(both, changes);
  }

  /// The new voters alone (RAFT-96).
  static Configuration leaveJoint(Configuration from) {
    require(from.isJoint(), "cannot leave a configuration that is not joint");
    return new Configuration(
        from.incoming(),
        IdSet.EMPTY,
        from.learners().union(from.learnersNext()),
        IdSet.EMPTY,
        false);
  }

  private static Configuration applyToIncoming(Configuration from, List<Single> changes) {
    IdSet voters = from.incoming();
    IdSet learners = from.learners();
    IdSet learnersNext = from.learnersNext();
    for (Single change : changes) {
      long id = change.nodeId();
      if (id == 0) {
        continue;
      }
      switch (change.kind()) {
        case ADD_NODE -> {
          voters = voters.with(id);
          learners = learners.without(id);
          learnersNext = learnersNext.without(id);
        }
        case ADD_LEARNER_NODE -> {
          voters = voters.without(id);
          // A voter of the outgoing half counts there until the end, so it cannot learn yet.
          if (from.outgoing().contains(id)) {
            learnersNext = learnersNext.with(id);
          } else {
            learners = learners.with(id);
          }
        }
        case REMOVE_NODE -> {
          voters = voters.without(id);
          learners = learners.without(id);
          learnersNext = learnersNext.without(id);
        }
        case UPDATE_NODE -> {}
      }
    }
    require(!voters.isEmpty(), "removed all voters");
    return new Configuration(voters, from.outgoing(), learners, learnersNext, from.autoLeave());
  }

  private static void require(boolean possible, String otherwise) {
    if (!possible) {
      throw new InvariantViolation("configuration change: " + otherwise);
    }
  }
}
