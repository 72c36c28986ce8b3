package dev.etcdj.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.script.TextCodec;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Guarantee: what Ongaro's thesis ("Consensus: Bridging Theory and Practice") says, section by
/// section. Method: whole nodes, their messages and logs. Source: the section each test names.
class PaperTest {

  // §3.3 Raft basics: terms.

  @Test
  void startsAsFollower_3_3() {
    assertEquals(Role.FOLLOWER, TestNet.of(3).role(1));
  }

  @Test
  void higherTermIsTakenOverByEveryRole_3_3() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    net.node(1).step(new Message.AppendResponse(2, 1, 7, 0, false, 0, 0));
    assertEquals(Role.FOLLOWER, net.role(1));
    assertEquals(7, net.term(1));

    net.node(2).campaign();
    net.node(2).step(new Message.VoteResponse(3, 2, 9, true));
    assertEquals(Role.FOLLOWER, net.role(2));
    assertEquals(9, net.term(2));
  }

  @Test
  void staleTermIsRefused_3_3() {
    TestNet net = TestNet.of(3);
    net.node(1).step(new Message.Heartbeat(2, 1, 5, 0, Bytes.EMPTY));
    Entry entry = new Entry(3, 1, EntryType.NORMAL, Bytes.EMPTY);
    net.node(1).step(new Message.Append(3, 1, 3, 0, 0, List.of(entry), 1));
    assertEquals(5, net.term(1));
    assertEquals(2, net.node(1).status().softState().leader());
    assertEquals(0, net.node(1).status().lastIndex());
  }

  // §3.4 Leader election.

  @Test
  void followerCampaignsAfterElectionTimeout_3_4() {
    TestNet net = TestNet.of(3);
    int timeout = TestHooks.randomizedElectionTimeout(net.node(1));
    for (int i = 1; i < timeout; i++) {
      net.node(1).tick();
      assertEquals(Role.FOLLOWER, net.role(1));
    }
    net.node(1).tick();
    assertEquals(Role.CANDIDATE, net.role(1));
    assertEquals(1, net.term(1));
    assertEquals(1, net.node(1).status().hardState().vote());
  }

  @Test
  void electionTimeoutIsRandomisedBetweenOneAndTwoPeriods_3_4() {
    TestNet net = TestNet.of(5);
    assertNotEquals(
        TestHooks.randomizedElectionTimeout(net.node(1)),
        TestHooks.randomizedElectionTimeout(net.node(2)));
    for (RawNode node : net.nodes) {
      int timeout = TestHooks.randomizedElectionTimeout(node);
      assertTrue(timeout >= 10 && timeout <= 19, "timeout " + timeout);
    }
  }

  @Test
  void heartbeatsKeepFollowersFromCampaigning_3_4() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    for (int i = 0; i < 100; i++) {
      net.nodes.forEach(RawNode::tick);
      net.settle();
    }
    assertEquals(Role.LEADER, net.role(1));
    assertEquals(1, net.term(2));
  }

  @ParameterizedTest
  @CsvSource({"0, FOLLOWER", "1, CANDIDATE", "2, LEADER", "3, LEADER"})
  void majorityOfFiveWins_3_4(int othersThatGrant, Role outcome) {
    TestNet net = TestNet.of(5);
    net.cut(2, 3, 4, 5);
    net.node(1).campaign();
    net.settle();
    for (int voter = 2; voter <= 5; voter++) {
      boolean reject = voter - 1 > othersThatGrant;
      // With one grant out of four answers it is one short and two open: nothing is decided.
      if (othersThatGrant != 1 || voter < 4) {
        net.node(1).step(new Message.VoteResponse(voter, 1, 1, reject));
      }
    }
    assertEquals(outcome, net.role(1));
  }

  @Test
  void oneVoteATermFirstComeFirstServed_3_4() {
    TestNet net = TestNet.of(3);
    net.node(1).step(new Message.Vote(2, 1, 1, 0, 0, Bytes.EMPTY));
    net.node(1).step(new Message.Vote(3, 1, 1, 0, 0, Bytes.EMPTY));
    List<Message> answers = net.node(1).ready().messages();
    assertEquals(
        List.of(new Message.VoteResponse(1, 2, 1, false), new Message.VoteResponse(1, 3, 1, true)),
        answers);
  }

  @Test
  void candidateGivesWayToALeaderOfItsTerm_3_4() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.node(1).step(new Message.Append(2, 1, 1, 0, 0, List.of(), 0));
    assertEquals(Role.FOLLOWER, net.role(1));
    assertEquals(1, net.term(1));
  }

  // §3.5 Log replication.

  @Test
  void committedOnceOnAMajorityAndThenEverywhere_3_5() {
    TestNet net = TestNet.of(5);
    net.node(1).campaign();
    net.settle();
    net.cut(4, 5);
    net.node(1).propose(TextCodec.bytes("x"));
    net.settle();
    assertEquals(2, net.commit(1));
    assertEquals(net.applied.get(0), net.applied.get(1));
    assertEquals(1, net.commit(4));
    net.heal();
    net.node(1).tick();
    net.settle();
    assertEquals(2, net.commit(4));
    assertEquals(net.applied.get(0), net.applied.get(4));
  }

  @Test
  void minorityDoesNotCommit_3_5() {
    TestNet net = TestNet.of(5);
    net.node(1).campaign();
    net.settle();
    net.cut(3, 4, 5);
    net.node(1).propose(TextCodec.bytes("x"));
    net.settle();
    assertEquals(1, net.commit(1));
  }

  /// What lies behind the matching entry may be a deposed leader's, whatever the commit index says.
  @Test
  void followerCommitsOnlyWhatMatches_3_5() {
    TestNet net = TestNet.withLogs(new long[] {1, 1, 1}, new long[] {1});
    net.node(1).step(new Message.Append(2, 1, 2, 1, 1, List.of(), 3));
    assertEquals(1, net.commit(1));
  }

  /// The same for a commit index that comes alone.
  @Test
  void followerLearnsTheCommitOfWhatMatchesAlone_3_5() {
    TestNet net = TestNet.withLogs(new long[] {1, 1, 1}, new long[] {1});
    net.node(1).step(new Message.CommitIndex(2, 1, 2, 1, 2, 3));
    assertEquals(2, net.commit(1));
    assertEquals(List.of(), net.node(1).ready().messages());
    net.node(1).advance();
    net.node(1).step(new Message.CommitIndex(2, 1, 2, 2, 3, 3));
    assertEquals(2, net.commit(1));
    assertEquals(
        List.of(new Message.AppendResponse(1, 2, 2, 3, true, 3, 1)),
        net.node(1).ready().messages());
  }

  /// A term that no entry has matches nothing, not even an index without an entry.
  @Test
  void whatHasNoTermMatchesNothing_3_5() {
    TestNet net = TestNet.withLogs(new long[] {1, 1}, new long[] {1});
    net.node(1).step(new Message.CommitIndex(2, 1, 2, -1, 9, 9));
    net.node(1).step(new Message.Append(2, 1, 2, -1, 8, List.of(), 8));
    assertEquals(0, net.commit(1));
    assertEquals(2, net.node(1).ready().messages().size());
  }

  @Test
  void consistencyCheckRefusesWhatDoesNotFollow_3_5() {
    TestNet net = TestNet.withLogs(new long[] {1, 1}, new long[] {1, 2});
    net.node(1).step(new Message.Append(2, 1, 2, 2, 2, List.of(), 0));
    List<Message> answers = net.node(1).ready().messages();
    assertEquals(List.of(new Message.AppendResponse(1, 2, 2, 2, true, 2, 1)), answers);
  }

  /// Figure 3.6: followers that lack entries, have extra ones, or both, end up with the leader's.
  @ParameterizedTest
  @CsvSource({
    "1 1 1 4 4 5 5 6 6",
    "1 1 1 4",
    "1 1 1 4 4 5 5 6 6 6 6",
    "1 1 1 4 4 5 5 6 6 6 7 7",
    "1 1 1 4 4 4 4",
    "1 1 1 2 2 2 3 3 3 3 3"
  })
  void leaderMakesLogsEqual_3_5_figure_3_6(String follower) {
    long[] leader = {1, 1, 1, 4, 4, 5, 5, 6, 6, 6};
    long[] terms = Arrays.stream(follower.split(" ")).mapToLong(Long::parseLong).toArray();
    TestNet net = TestNet.withLogs(leader, terms, leader);
    net.node(1).campaign();
    net.settle();
    assertEquals(Role.LEADER, net.role(1));
    assertEquals(net.terms(1), net.terms(2));
    assertEquals(net.commit(1), net.commit(2));
    assertEquals(net.applied.get(0), net.applied.get(1));
  }

  // §3.6 Safety.

  @ParameterizedTest
  @CsvSource({
    // own last term and index, candidate's last term and index, granted
    "1 1, 1, 1, false",
    "1 1, 1, 2, true",
    "1 1, 1, 3, true",
    "2 2, 1, 5, false",
    "1 1, 2, 1, true"
  })
  void voteOnlyForALogAtLeastAsComplete_3_6_1(
      String own, long lastTerm, long lastIndex, boolean granted) {
    long[] terms = Arrays.stream(own.split(" ")).mapToLong(Long::parseLong).toArray();
    TestNet net = TestNet.withLogs(terms, new long[] {});
    net.node(1).step(new Message.Vote(2, 1, 9, lastTerm, lastIndex, Bytes.EMPTY));
    Message.VoteResponse answer = (Message.VoteResponse) net.node(1).ready().messages().getFirst();
    assertEquals(granted, !answer.reject());
  }

  /// Figure 3.7: an entry of an earlier term is not committed by counting.
  @Test
  void onlyOwnTermIsCommittedByCounting_3_6_2_figure_3_7() {
    TestNet net = TestNet.withLogs(new long[] {1, 2}, new long[] {1, 2}, new long[] {1});
    net.cut(2, 3);
    net.node(1).campaign();
    net.settle();
    net.node(1).step(new Message.VoteResponse(2, 1, 3, false));
    net.settle();
    assertEquals(Role.LEADER, net.role(1));
    net.node(1).step(new Message.AppendResponse(2, 1, 3, 2, false, 0, 0));
    net.settle();
    assertEquals(0, net.commit(1), "entry 2 of term 2 is on two of three");
    net.node(1).step(new Message.AppendResponse(2, 1, 3, 3, false, 0, 0));
    net.settle();
    assertEquals(3, net.commit(1));
  }

  @Test
  void newLeaderBeginsWithAnEmptyEntry_3_6_2_and_6_4() {
    TestNet net = TestNet.of(3);
    net.node(2).campaign();
    net.settle();
    assertEquals(List.of(new Entry(1, 1, EntryType.NORMAL, Bytes.EMPTY)), net.applied.get(2));
  }

  // §3.8 Persisted state.

  @Test
  void restartKeepsTermAndVote_3_8() {
    TestNet net = TestNet.of(3);
    net.node(1).step(new Message.Vote(2, 1, 4, 0, 0, Bytes.EMPTY));
    net.settle();
    RawNode again = new RawNode(TestNet.config(1, net.log(1), false));
    again.step(new Message.Vote(3, 1, 4, 0, 0, Bytes.EMPTY));
    assertEquals(List.of(new Message.VoteResponse(1, 3, 4, true)), again.ready().messages());
  }

  @Test
  void restartAppliesFromTheStartAgainButReportsNothingNew_3_8() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    net.node(1).propose(TextCodec.bytes("x"));
    net.settle();
    RawNode again = new RawNode(TestNet.config(1, net.log(1), false));
    Ready ready = again.ready();
    assertEquals(net.applied.get(0), ready.committedEntries());
    assertEquals(null, ready.hardState());
    assertEquals(List.of(), ready.entries());
  }

  // §3.10 Leadership transfer.

  @Test
  void transferTargetTakesOverAtOnce_3_10() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    net.node(1).transferLeader(3);
    net.settle();
    assertEquals(Role.LEADER, net.role(3));
    assertEquals(2, net.term(1));
  }

  // §6.4 Reads.

  @Test
  void readWaitsForAMajoritysHeartbeats_6_4() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    net.node(1).readIndex(TextCodec.bytes("r"));
    Ready round = net.node(1).ready();
    assertEquals(List.of(), round.readStates());
    net.node(1).advance();
    Message.Heartbeat beat = (Message.Heartbeat) round.messages().getFirst();
    net.node(1).step(new Message.HeartbeatResponse(2, 1, 1, beat.context()));
    assertEquals(List.of(new ReadState(1, TextCodec.bytes("r"))), net.node(1).ready().readStates());
  }
}
