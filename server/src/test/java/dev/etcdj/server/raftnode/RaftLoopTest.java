package dev.etcdj.server.raftnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.message.Message;
import dev.etcdj.wal.WalAppend;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Durable before visible (RAFT-13, RAFT-114), seen at the loop's seams: what leaves, and when,
/// against what the log writer has said is durable.
class RaftLoopTest {
  private static final Bytes DATA = Bytes.wrap(new byte[] {1});

  private static <T extends Message> List<T> of(Class<T> type, List<Message> messages) {
    return messages.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Test
  void noVoteLeavesBeforeItIsDurable() {
    LoopHarness node = new LoopHarness(1L, 2L, 3L);
    node.loop.step(new Message.Vote(2, 1, 5, 0, 0, Bytes.EMPTY));
    node.settle();
    assertEquals(1, node.unsynced.size());
    assertEquals(WalAppend.Promise.DURABLE, node.unsynced.getFirst().promise());
    assertEquals(List.of(), of(Message.VoteResponse.class, node.sent));
    node.sync();
    List<Message.VoteResponse> votes = of(Message.VoteResponse.class, node.sent);
    assertEquals(1, votes.size());
    assertFalse(votes.getFirst().reject());
  }

  @Test
  void noAppendResponseLeavesBeforeItsEntriesAreDurable() {
    LoopHarness node = new LoopHarness(1L, 2L, 3L);
    node.loop.step(
        new Message.Append(2, 1, 1, 0, 0, List.of(new Entry(1, 1, EntryType.NORMAL, DATA)), 0));
    node.settle();
    assertEquals(List.of(), of(Message.AppendResponse.class, node.sent));
    node.sync();
    List<Message.AppendResponse> responses = of(Message.AppendResponse.class, node.sent);
    assertEquals(1, responses.getLast().index());
    assertFalse(responses.getLast().reject());
  }

  private static Message.Append append(long index, long commit, Entry... entries) {
    return new Message.Append(2, 1, 1, index, index == 0 ? 0 : 1, List.of(entries), commit);
  }

  /// A follower learns of every commit by an append without entries: a sync for each would double
  /// its syncs.
  @Test
  void aCommitIndexAloneIsAnsweredWithoutASync() {
    LoopHarness node = new LoopHarness(1L, 2L, 3L);
    node.loop.step(append(0, 0, new Entry(1, 1, EntryType.NORMAL, DATA)));
    node.settle();
    node.sync();
    node.sent.clear();
    node.loop.step(append(1, 1));
    node.settle();
    assertEquals(1, of(Message.AppendResponse.class, node.sent).getFirst().index());
    assertEquals(WalAppend.Promise.NONE, node.unsynced.getFirst().promise());
    assertEquals(1, node.apply().size());
    node.sync();
    assertEquals(1, node.log.initialState().hardState().commit());
    assertEquals(1, of(Message.AppendResponse.class, node.sent).size(), "answered twice");
  }

  @Test
  void aCommitIndexIsNotAnsweredBeforeEarlierEntriesAreDurable() {
    LoopHarness node = new LoopHarness(1L, 2L, 3L);
    node.loop.step(append(0, 0, new Entry(1, 1, EntryType.NORMAL, DATA)));
    node.settle();
    node.loop.step(append(1, 1));
    node.settle();
    assertEquals(List.of(), of(Message.AppendResponse.class, node.sent));
    assertEquals(
        List.of(WalAppend.Promise.DURABLE, WalAppend.Promise.ORDERED),
        node.unsynced.stream().map(WalAppend::promise).toList());
    node.sync();
    assertEquals(
        List.of(1L, 1L),
        of(Message.AppendResponse.class, node.sent).stream()
            .map(Message.AppendResponse::index)
            .toList());
  }

  /// Two switches between threads less for a lone client; many are better off proposed together.
  @Test
  void onlyALoneProposalIsTakenThroughRaftByItsClient() {
    LoopHarness node = new LoopHarness(1L);
    node.lead();
    int visits = node.visits;
    int wakes = node.wakes;
    node.propose("a");
    assertEquals(visits + 1, node.visits);
    node.propose("b");
    assertEquals(visits + 1, node.visits, "while another is on its way");
    assertEquals(wakes + 1, node.wakes);
    node.sync();
    node.propose("c");
    assertEquals(visits + 2, node.visits);
  }

  @Test
  void aLeadersOwnEntryCountsOnlyOnceDurable() {
    LoopHarness node = new LoopHarness(1L);
    node.lead();
    assertTrue(node.loop.view().isLeader());
    assertTrue(node.propose("a"));
    assertEquals(List.of(), node.apply(), "applied before it was durable");
    node.sync();
    assertEquals(1, node.apply().size());
  }

  @Test
  void proposalsThatWaitTogetherAreOneAppend() {
    LoopHarness node = new LoopHarness(1L);
    node.lead();
    for (int i = 0; i < 50; i++) {
      node.loop.propose(DATA, () -> {});
    }
    node.settle();
    assertEquals(1, node.unsynced.size());
    assertEquals(50, node.unsynced.getFirst().entries().size());
  }

  /// A lone put costs the loop two turns: one for the proposal, one for its sync. That it is
  /// applied is seen in the next.
  @Test
  void whatIsAppliedWakesNobody() {
    LoopHarness node = new LoopHarness(1L);
    node.lead();
    node.propose("a");
    node.sync();
    int before = node.wakes;
    assertEquals(1, node.apply().size());
    assertEquals(before, node.wakes);
  }

  /// Raft hands out at most so many bytes that are not applied yet; then applying must wake it.
  @Test
  void whatRaftWaitsForWakesIt() {
    LoopHarness node = new LoopHarness(1L);
    node.lead();
    for (int i = 0; i < 3; i++) {
      node.propose("x".repeat(700_000));
    }
    node.sync();
    int before = node.wakes;
    assertEquals(3, node.apply().size());
    assertTrue(node.wakes > before);
  }

  @Test
  void aStalledDiskStopsProposalsButNotHeartbeats() {
    LoopHarness node = new LoopHarness(1L, 2L);
    electAgainstTwo(node);
    node.logCapacity = node.unsynced.size() + 1;
    for (int i = 0; i < 500; i++) {
      node.propose("x" + i);
    }
    assertFalse(node.propose("one more"), "the inbox must be full by now");
    node.sent.clear();
    node.tick(3);
    assertFalse(of(Message.Heartbeat.class, node.sent).isEmpty());
  }

  @Test
  void proposalsWaitForALeaderInsteadOfFailing() {
    LoopHarness node = new LoopHarness(1L);
    boolean[] dropped = {false};
    node.loop.propose(DATA, () -> dropped[0] = true);
    node.settle();
    assertFalse(dropped[0]);
    node.lead();
    node.sync();
    node.apply();
    assertFalse(dropped[0]);
    assertEquals(2, node.log.lastIndex());
  }

  /// No mark lies past what the store has durably committed, and no segment is released before
  /// the mark itself is durable (RAFT-151).
  @Test
  void theLogIsReleasedOnlyBehindADurableMark() {
    LoopHarness node = new LoopHarness(5, List.of(1L));
    node.lead();
    for (int i = 0; i < 10; i++) {
      node.propose("x" + i);
      node.sync();
      node.apply();
    }
    assertEquals(1, node.checkpoints.size(), "one checkpoint at a time");
    assertEquals(List.of(), node.released);
    node.checkpoints.getFirst().complete(new Checkpoint(7, 1, ConfState.ofVoters(List.of(1L))));
    node.settle();
    assertEquals(7, node.unsynced.getLast().snapshot().index());
    assertEquals(List.of(), node.released);
    node.sync();
    assertEquals(List.of(7L), node.released);
  }

  /// RAFT-153: the entries behind a snapshot stay in memory while it travels and 30 s longer, so
  /// that its receiver goes on from the log.
  @Test
  void theLogInMemoryIsKeptForTheReceiverOfASnapshot() {
    LoopHarness node = new LoopHarness(1L, 2L, 3L);
    electAgainstTwo(node);
    acknowledge(node, 150);
    long cut = node.log.firstIndex();
    assertTrue(cut > 1, "nothing was cut");
    Message.Append probe =
        of(Message.Append.class, node.sent).stream()
            .filter(append -> append.to() == 3)
            .findFirst()
            .orElseThrow();
    node.loop.step(new Message.AppendResponse(3, 1, probe.term(), probe.prevIndex(), true, 0, 0));
    node.settle();
    assertEquals(1, of(Message.InstallSnapshot.class, node.sent).size());
    acknowledge(node, 150);
    assertEquals(cut, node.log.firstIndex(), "on its way");

    node.loop.reportSnapshot(3, false);
    node.settle();
    acknowledge(node, 150);
    assertEquals(cut, node.log.firstIndex(), "just sent");
    node.nanos += 30_000_000_000L;
    acknowledge(node, 150);
    assertTrue(node.log.firstIndex() > cut);
  }

  private static void acknowledge(LoopHarness node, int proposals) {
    for (int i = 0; i < proposals; i++) {
      node.propose("p" + i);
      node.sync();
      node.loop.step(
          new Message.AppendResponse(
              2, 1, node.loop.view().term(), node.log.lastIndex(), false, 0, 0));
      node.settle();
      node.sync();
      node.apply();
    }
  }

  private static void electAgainstTwo(LoopHarness node) {
    node.tick(12);
    node.sync();
    for (Message message : List.copyOf(node.sent)) {
      if (message instanceof Message.PreVote pre) {
        node.loop.step(new Message.PreVoteResponse(2, 1, pre.term(), false));
      }
    }
    node.settle();
    node.sync();
    for (Message message : List.copyOf(node.sent)) {
      if (message instanceof Message.Vote vote) {
        node.loop.step(new Message.VoteResponse(2, 1, vote.term(), false));
      }
    }
    node.settle();
    assertTrue(node.loop.view().isLeader());
  }
}
