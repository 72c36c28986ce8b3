package dev.etcdj.raft.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Guarantee: majorities of one and of two configurations. Method: against the definition, over
/// every small case. Source: RAFT-39, RAFT-53; thesis §4.3.
class QuorumTest {
  private static final Random RANDOM = new Random(42);

  @Test
  void committedIsWhatAMajorityHas() {
    for (int run = 0; run < 2_000; run++) {
      int n = RANDOM.nextInt(8);
      long[] acked = RANDOM.longs(n, 0, 6).toArray();
      Majority majority = new Majority(ids(n));
      long committed = majority.committed(voter -> acked[(int) voter - 1]);
      if (n == 0) {
        assertEquals(Long.MAX_VALUE, committed);
        continue;
      }
      long have = Arrays.stream(acked).filter(a -> a >= committed).count();
      long haveMore = Arrays.stream(acked).filter(a -> a > committed).count();
      assertTrue(have > n / 2 && haveMore <= n / 2, Arrays.toString(acked) + " " + committed);
    }
  }

  @Test
  void votesAreWonOrLostOnceNoFurtherAnswerMatters() {
    for (int n = 1; n <= 5; n++) {
      int cases = (int) Math.pow(3, n);
      for (int code = 0; code < cases; code++) {
        Ballot[] ballots = new Ballot[n];
        int rest = code;
        for (int i = 0; i < n; i++) {
          ballots[i] = Ballot.values()[rest % 3];
          rest /= 3;
        }
        long granted = Arrays.stream(ballots).filter(b -> b == Ballot.GRANTED).count();
        long rejected = Arrays.stream(ballots).filter(b -> b == Ballot.REJECTED).count();
        VoteResult expected =
            granted > n / 2
                ? VoteResult.WON
                : n - rejected > n / 2 ? VoteResult.PENDING : VoteResult.LOST;
        assertEquals(expected, new Majority(ids(n)).result(voter -> ballots[(int) voter - 1]));
      }
    }
  }

  @Test
  void jointNeedsBothHalves() {
    JointQuorum joint = new JointQuorum(IdSet.of(1, 2, 3), IdSet.of(3, 4, 5));
    long[] acked = {9, 9, 1, 5, 4};
    assertEquals(4, joint.committed(voter -> acked[(int) voter - 1]));
    assertEquals(VoteResult.PENDING, joint.result(grantedBy(1, 2)));
    assertEquals(VoteResult.WON, joint.result(grantedBy(1, 3, 4)));
    assertEquals(
        VoteResult.LOST,
        joint.result(voter -> voter == 4 || voter == 5 ? Ballot.REJECTED : Ballot.GRANTED));
  }

  @Test
  void anEmptyHalfAgrees() {
    JointQuorum plain = new JointQuorum(IdSet.of(7), IdSet.EMPTY);
    assertEquals(3, plain.committed(voter -> 3));
    assertEquals(VoteResult.WON, plain.result(grantedBy(7)));
  }

  @Test
  void idsAreUnsignedAndOrdered() {
    IdSet set = IdSet.of(-5L, 3, 1, 3);
    assertEquals(List.of(1L, 3L, -5L), set.toList());
    assertEquals("(1 3 fffffffffffffffb)", set.toString());
    assertEquals(IdSet.of(1, 3), set.without(-5).without(8));
    assertFalse(set.isDisjoint(IdSet.of(3)));
    assertEquals(set, IdSet.of(1).union(IdSet.of(3, -5)));
  }

  private static Ballot.Box grantedBy(long... voters) {
    IdSet granted = IdSet.of(voters);
    return voter -> granted.contains(voter) ? Ballot.GRANTED : Ballot.MISSING;
  }

  private static IdSet ids(int n) {
    IdSet ids = IdSet.EMPTY;
    for (long id = 1; id <= n; id++) {
      ids = ids.with(id);
    }
    return ids;
  }
}
