package dev.etcdj.server.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.server.apply.Machine;
import dev.etcdj.server.peer.RaftpbConfChangeCodec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Guarantees when a read may be answered. Source: raft.md RAFT-130..135.
class LinearizableReadsTest {
  private final Machine machine = new Machine().bootstrap();
  private final List<String> outcomes = new ArrayList<>();

  /// A second voter, so that rounds are needed.
  @BeforeEach
  void addMember() {
    machine.raft.commit(
        EntryType.CONF_CHANGE,
        new RaftpbConfChangeCodec()
            .encode(
                dev.etcdj.raft.ConfChange.single(
                    dev.etcdj.raft.ConfChange.Kind.ADD_NODE,
                    2,
                    0,
                    Bytes.wrap(
                        "{\"id\":2,\"peerURLs\":[\"http://localhost:2382\"],\"name\":\"n\"}"
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8)))));
    machine.run();
  }

  private void read(String name) {
    machine.reads.await(
        new ReadCallback() {
          @Override
          public void ready() {
            outcomes.add(name + " ready");
          }

          @Override
          public void failed(EtcdException why) {
            outcomes.add(name + " " + why.text());
          }
        });
  }

  private void answer(int asked, long index) {
    machine.reads.onReadState(new ReadState(index, machine.raft.readIndexes.get(asked)));
  }

  @Test
  void aRoundIsSharedByWhatCameBeforeIt() {
    read("a");
    read("b");
    read("c");
    assertEquals(1, machine.raft.readIndexes.size());
    assertEquals(8, machine.raft.readIndexes.getFirst().length());
    answer(0, 3);
    // b and c came during the round: the next one is theirs.
    assertEquals(List.of("a ready"), outcomes);
    assertEquals(2, machine.raft.readIndexes.size());
    // RAFT-132: answers of older rounds are ignored.
    answer(0, 3);
    assertEquals(List.of("a ready"), outcomes);
    answer(1, 3);
    assertEquals(List.of("a ready", "b ready", "c ready"), outcomes);
    assertEquals(2, machine.raft.readIndexes.size());
  }

  @Test
  void anAnswerWaitsForItsIndexToBeApplied() {
    read("a");
    answer(0, 5);
    assertEquals(List.of(), outcomes);
    // The next round does not wait for the first one's index.
    read("b");
    answer(1, 4);
    var _ = machine.raft.commitEmpty();
    machine.run();
    assertEquals(List.of("b ready"), outcomes);
    var _ = machine.raft.commitEmpty();
    machine.run();
    assertEquals(List.of("b ready", "a ready"), outcomes);
  }

  @Test
  void aRoundIsAskedAgainUnderAnotherId() {
    read("a");
    machine.advance(Machine.SECOND / 2);
    assertEquals(2, machine.raft.readIndexes.size());
    assertNotEquals(machine.raft.readIndexes.get(0), machine.raft.readIndexes.get(1));
    // RAFT-132: a leader's first commit, too.
    var _ = machine.raft.commitEmpty();
    machine.run();
    assertEquals(3, machine.raft.readIndexes.size());
    // RAFT-131: any id of the round counts.
    answer(0, 3);
    assertEquals(List.of("a ready"), outcomes);
    assertEquals(1, machine.reads.slowTotal());
  }

  @Test
  void aLeaderChangeFailsTheRound() {
    read("a");
    read("b");
    machine.raft.follow(2, 2);
    machine.reads.leaderChanged();
    // RAFT-133: the round's reads alone.
    assertEquals(List.of("a etcdserver: leader changed"), outcomes);
    // The change and the answer arrive together.
    machine.raft.lead(3);
    answer(1, 3);
    assertEquals(List.of("a etcdserver: leader changed", "b etcdserver: leader changed"), outcomes);
    // Losing the leader alone does not count.
    read("c");
    machine.raft.follow(0, 3);
    machine.reads.leaderChanged();
    answer(2, 3);
    assertEquals("c ready", outcomes.getLast());
    assertEquals(2, machine.reads.failedTotal());
  }

  @Test
  void aRoundEndsAfterSevenSeconds() {
    read("a");
    machine.advance(Machine.SECOND);
    read("b");
    machine.advance(6 * Machine.SECOND);
    // RAFT-134
    assertEquals(List.of("a etcdserver: request timed out"), outcomes);
    machine.advance(7 * Machine.SECOND);
    assertEquals("b etcdserver: request timed out", outcomes.getLast());
  }

  @Test
  void atTheLimitReadsAreRefused() {
    for (int i = 0; i < 1_000; i++) {
      read("r");
    }
    read("late");
    assertEquals(List.of("late etcdserver: too many requests"), outcomes);
    answer(0, 3);
    answer(1, 3);
    assertEquals(1_001, outcomes.size());
    read("again");
    answer(2, 3);
    assertEquals("again ready", outcomes.getLast());
  }

  @Test
  void theOnlyVoterNeedsNoRound() {
    Machine alone = new Machine().bootstrap();
    alone.reads.await(callback("a"));
    assertEquals(List.of("a ready"), outcomes);
    assertEquals(0, alone.raft.readIndexes.size());
    // Elected again, nothing of its new term applied yet: entries acknowledged before may be
    // missing from the store.
    alone.raft.lead(2);
    alone.reads.await(callback("b"));
    assertEquals(1, alone.raft.readIndexes.size());
    assertEquals(1, outcomes.size());
    // Not the leader.
    alone.raft.follow(0, 2);
    alone.reads.await(callback("c"));
    assertEquals(1, outcomes.size());
  }

  private ReadCallback callback(String name) {
    return new ReadCallback() {
      @Override
      public void ready() {
        outcomes.add(name + " ready");
      }

      @Override
      public void failed(EtcdException why) {
        outcomes.add(name + " " + why.text());
      }
    };
  }

  @Test
  void stopFailsAll() {
    read("a");
    read("b");
    machine.reads.stop();
    read("c");
    assertEquals(
        List.of(
            "b etcdserver: server stopped",
            "a etcdserver: server stopped",
            "c etcdserver: server stopped"),
        outcomes);
  }
}
