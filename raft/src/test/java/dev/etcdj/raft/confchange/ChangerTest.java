package dev.etcdj.raft.confchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChange.Kind;
import dev.etcdj.raft.ConfChange.Single;
import dev.etcdj.raft.ConfChange.Transition;
import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.quorum.IdSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Guarantee: RAFT-91..96, RAFT-101; thesis §4.1, §4.3.
class ChangerTest {
  private static final Configuration THREE = voters(1, 2, 3);

  private static Configuration voters(long... ids) {
    return new Configuration(IdSet.of(ids), IdSet.EMPTY, IdSet.EMPTY, IdSet.EMPTY, false);
  }

  private static Single add(long id) {
    return new Single(Kind.ADD_NODE, id);
  }

  private static Single learner(long id) {
    return new Single(Kind.ADD_LEARNER_NODE, id);
  }

  private static Single remove(long id) {
    return new Single(Kind.REMOVE_NODE, id);
  }

  private static ConfChange change(Transition transition, Single... changes) {
    return new ConfChange(EntryType.CONF_CHANGE_V2, transition, List.of(changes), 0, Bytes.EMPTY);
  }

  private static Configuration apply(Configuration from, Single... changes) {
    return Changer.apply(from, change(Transition.AUTO, changes));
  }

  @Test
  void simpleChangesOneVoter() {
    assertEquals(voters(1, 2, 3, 4), apply(THREE, add(4)));
    assertEquals(voters(1, 3), apply(THREE, remove(2)));
    assertEquals(THREE, apply(THREE, add(2)));
    assertEquals(THREE, apply(THREE, remove(9)));
    assertEquals(THREE, apply(THREE, new Single(Kind.UPDATE_NODE, 2)));
    assertEquals(THREE, apply(THREE, remove(0)), "node id 0 rejects the change");
    assertEquals(IdSet.of(4), apply(THREE, learner(4)).learners());
    assertEquals(voters(1, 2, 3, 4), apply(apply(THREE, learner(4)), add(4)));
    assertEquals(IdSet.of(3), apply(THREE, learner(3)).learners());
  }

  @Test
  void impossibleChangesAreFatal() {
    assertThrows(InvariantViolation.class, () -> apply(voters(1), remove(1)));
    Configuration joint = apply(THREE, add(4), remove(1));
    assertThrows(InvariantViolation.class, () -> apply(joint, add(5)));
    assertThrows(InvariantViolation.class, () -> apply(joint, add(5), add(6)));
    assertThrows(InvariantViolation.class, () -> apply(THREE));
    assertThrows(InvariantViolation.class, () -> apply(Configuration.EMPTY, add(1), add(2)));
    assertThrows(
        InvariantViolation.class,
        () -> Changer.simple(THREE, List.of(add(4), add(5))),
        "two voters at once");
  }

  @Test
  void jointKeepsTheOldVotersUntilItIsLeft() {
    Configuration joint = apply(THREE, add(4), remove(1), learner(2));
    assertEquals(IdSet.of(3, 4), joint.incoming());
    assertEquals(IdSet.of(1, 2, 3), joint.outgoing());
    assertEquals(IdSet.of(2), joint.learnersNext());
    assertTrue(joint.autoLeave());
    assertTrue(joint.members().contains(1));

    Configuration left = apply(joint);
    assertEquals(IdSet.of(3, 4), left.incoming());
    assertEquals(IdSet.of(2), left.learners());
    assertEquals(IdSet.of(2, 3, 4), left.members());
  }

  @Test
  void transitionsDecideHowAJointConfigurationIsLeft() {
    assertTrue(Changer.apply(THREE, change(Transition.JOINT_IMPLICIT, add(4))).autoLeave());
    Configuration explicit = Changer.apply(THREE, change(Transition.JOINT_EXPLICIT, add(4)));
    assertTrue(explicit.isJoint() && !explicit.autoLeave());
  }

  @Test
  void impossibleConfigurationsCannotBeMade() {
    assertThrows(
        InvariantViolation.class,
        () -> new Configuration(IdSet.of(1), IdSet.EMPTY, IdSet.of(1), IdSet.EMPTY, false));
    assertThrows(
        InvariantViolation.class,
        () -> new Configuration(IdSet.of(1), IdSet.EMPTY, IdSet.EMPTY, IdSet.EMPTY, true));
    assertThrows(
        InvariantViolation.class,
        () ->
            Configuration.restore(
                new ConfState(List.of(1L, 1L), List.of(), List.of(), List.of(), false)));
  }

  @Test
  void everyReachableConfigurationIsRestoredAsItWas_RAFT_101() {
    Random random = new Random(3);
    Configuration now = voters(1, 2, 3);
    for (int i = 0; i < 5_000; i++) {
      List<Single> changes = new ArrayList<>();
      for (int n = random.nextInt(4); n >= 0; n--) {
        Kind kind = Kind.values()[random.nextInt(4)];
        changes.add(new Single(kind, random.nextInt(8)));
      }
      Configuration from = now;
      try {
        now =
            now.isJoint()
                ? apply(now)
                : Changer.apply(
                    now, change(Transition.JOINT_EXPLICIT, changes.toArray(Single[]::new)));
      } catch (InvariantViolation allVotersRemoved) {
        assertEquals(from, now);
      }
      assertEquals(now, Configuration.restore(now.confState()));
    }
  }
}
