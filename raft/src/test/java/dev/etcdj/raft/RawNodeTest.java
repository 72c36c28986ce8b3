package dev.etcdj.raft;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.ConfChange.Kind;
import dev.etcdj.raft.RaftConfig.ReadOnlyOption;
import dev.etcdj.raft.RawNode.Dropped;
import dev.etcdj.raft.RawNode.Peer;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.script.TextCodec;
import dev.etcdj.raft.trace.TraceSink;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Guarantee: the contract with the owner: settings, start, bootstrap, order of Readys, refusals.
/// Source: RAFT-1..24, RAFT-62.
class RawNodeTest {

  @ParameterizedTest
  @CsvSource({
    "0, 10, 1, 256, 0, true, SAFE", // none
    "-1, 10, 1, 256, 0, true, SAFE", // the append thread
    "-2, 10, 1, 256, 0, true, SAFE", // the apply thread
    "1, 10, 0, 256, 0, true, SAFE",
    "1, 1, 1, 256, 0, true, SAFE",
    "1, 10, 1, 0, 0, true, SAFE",
    "1, 10, 1, 256, 99, true, SAFE",
    "1, 10, 1, 256, 0, false, LEASE_BASED"
  })
  void unusableSettingsAreRejected_RAFT_1(
      long id,
      int election,
      int heartbeat,
      int inflight,
      long inflightBytes,
      boolean checkQuorum,
      ReadOnlyOption readOnly) {
    RaftConfig config =
        new RaftConfig(
            id,
            election,
            heartbeat,
            new MemoryLog(),
            new TextCodec(),
            n -> 0,
            TraceSink.NONE,
            0,
            true,
            100,
            0,
            0,
            inflight,
            inflightBytes,
            checkQuorum,
            false,
            readOnly,
            false,
            false,
            false);
    assertThrows(IllegalArgumentException.class, () -> new RawNode(config));
  }

  @Test
  void bootstrapWritesTheFoundersIntoTheLog_RAFT_4() {
    MemoryLog log = new MemoryLog();
    RawNode node = new RawNode(TestNet.config(1, log, false));
    node.bootstrap(List.of(new Peer(1, Bytes.EMPTY), new Peer(2, Bytes.EMPTY)));
    Ready ready = node.ready();
    assertEquals(new HardState(1, 0, 2), ready.hardState());
    assertEquals(2, ready.entries().size());
    assertEquals(ready.entries(), ready.committedEntries());
    assertTrue(ready.entries().stream().allMatch(e -> e.type() == EntryType.CONF_CHANGE));
    assertEquals(List.of(1L, 2L), node.status().confState().voters());

    log.append(ready.entries());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RawNode(TestNet.config(1, log, false))
                .bootstrap(List.of(new Peer(1, Bytes.EMPTY))));
  }

  @Test
  void aFreshNodeHasNothingToSay_RAFT_19() {
    assertFalse(TestNet.of(3).node(1).hasReady());
  }

  @Test
  void readyComesOnlyAfterAdvance_RAFT_12() {
    RawNode node = TestNet.of(1).node(1);
    assertThrows(IllegalStateException.class, node::advance);
    node.campaign();
    node.ready();
    assertThrows(IllegalStateException.class, node::ready);
  }

  @Test
  void everythingBetweenTwoReadysSharesOneAppend() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    for (int i = 0; i < 100; i++) {
      net.node(1).propose(TextCodec.bytes("p" + i));
    }
    Ready ready = net.node(1).ready();
    assertEquals(2, ready.messages().size());
    ready
        .messages()
        .forEach(
            m -> assertEquals(100, assertInstanceOf(Message.Append.class, m).entries().size()));
  }

  @Test
  void appliedNeverExceedsWhatIsStored_RAFT_23() {
    MemoryLog log = new MemoryLog();
    log.setConfState(ConfState.ofVoters(List.of(1L)));
    RawNode node = new RawNode(TestNet.config(1, log, true));
    node.campaign();
    Message.StorageAppend vote = storageAppend(node.ready());
    log.setHardState(requireNonNull(vote.hardState()));
    vote.responses().forEach(node::step);
    Message.StorageAppend first = storageAppend(node.ready());
    // The write is not finished: nothing is committed, whatever else happens.
    node.tick();
    assertFalse(node.hasReady());
    log.append(first.entries());
    first.responses().forEach(node::step);
    Ready ready = node.ready();
    assertEquals(first.entries(), ready.committedEntries());
  }

  private static Message.StorageAppend storageAppend(Ready ready) {
    return (Message.StorageAppend)
        ready.messages().stream()
            .filter(Message.StorageAppend.class::isInstance)
            .findFirst()
            .orElseThrow();
  }

  @Test
  void localMessagesFromPeersAreRefused_RAFT_24() {
    RawNode node = TestNet.of(3).node(1);
    assertInstanceOf(Dropped.class, node.step(new Message.Hup(2, 1, 0)));
    assertInstanceOf(Dropped.class, node.step(new Message.Unreachable(2, 1, 0)));
    assertInstanceOf(Dropped.class, node.step(new Message.AppendResponse(9, 1, 5, 1, false, 0, 0)));
    assertEquals(0, node.status().hardState().term());
  }

  @Test
  void emptyAndMalformedProposalsOfPeersAreRefused() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    assertInstanceOf(Dropped.class, net.node(1).step(new Message.Propose(2, 1, 0, List.of())));
    Entry broken = new Entry(0, 0, EntryType.CONF_CHANGE, TextCodec.bytes("0 v1"));
    assertInstanceOf(RawNode.Accepted.class, net.node(1).step(propose(broken)));
    Entry malformed = new Entry(0, 0, EntryType.CONF_CHANGE_V2, TextCodec.bytes("0 vX"));
    assertInstanceOf(Dropped.class, net.node(1).step(propose(malformed)));
  }

  private static Message propose(Entry entry) {
    return new Message.Propose(2, 1, 0, List.of(entry));
  }

  @Test
  void commitAboveTheLogIsFatal_RAFT_62() {
    RawNode node = TestNet.of(3).node(1);
    assertThrows(
        InvariantViolation.class, () -> node.step(new Message.Heartbeat(2, 1, 1, 4, Bytes.EMPTY)));
  }

  @Test
  void conflictWithWhatIsCommittedIsFatal_RAFT_50() {
    TestNet net = TestNet.of(3);
    net.node(1).campaign();
    net.settle();
    Entry other = new Entry(2, 1, EntryType.NORMAL, TextCodec.bytes("x"));
    Message append = new Message.Append(2, 1, 2, 0, 0, List.of(other), 0);
    net.node(1).step(append);
    assertEquals(1, net.commit(1), "answered with the commit index, and ignored");
  }

  @Test
  void restartBelowTheStoredCommitIsFatal_RAFT_3() {
    MemoryLog log = new MemoryLog();
    log.setHardState(new HardState(2, 0, 5));
    assertThrows(InvariantViolation.class, () -> new RawNode(TestNet.config(1, log, false)));
  }

  /// A change that a snapshot has overtaken is in the snapshot's configuration already.
  @Test
  void changeOvertakenByASnapshotDoesNotTouchTheNode() {
    MemoryLog log = new MemoryLog();
    log.setConfState(ConfState.ofVoters(List.of(1L, 2L)));
    RawNode node = new RawNode(TestNet.config(2, log, true));
    ConfState later = ConfState.ofVoters(List.of(1L, 2L, 4L));
    Snapshot snapshot = new Snapshot(9, 1, later, Bytes.EMPTY);
    node.step(new Message.InstallSnapshot(1, 2, 1, snapshot));
    ConfState asOfEntry = node.applyConfChange(ConfChange.single(Kind.ADD_NODE, 3, 0, Bytes.EMPTY));
    assertEquals(List.of(1L, 2L, 3L), asOfEntry.voters());
    assertEquals(later, node.status().confState());
    // Once the snapshot is in, changes count again.
    Message.StorageAppend write = storageAppend(node.ready());
    log.applySnapshot(snapshot);
    write.responses().stream().filter(m -> m.to() == 2).forEach(node::step);
    assertEquals(9, node.status().applied());
    node.applyConfChange(ConfChange.single(Kind.ADD_NODE, 3, 0, Bytes.EMPTY));
    assertEquals(List.of(1L, 2L, 3L, 4L), node.status().confState().voters());
  }

  @Test
  void commitOnlyChangesNeedNoSync_RAFT_11() {
    TestNet net = TestNet.of(1);
    net.node(1).campaign();
    net.node(1).ready();
    net.node(1).advance();
    Ready appended = net.node(1).ready();
    assertTrue(appended.mustSync());
    net.log(1).append(appended.entries());
    net.node(1).advance();
    Ready committed = net.node(1).ready();
    assertFalse(committed.mustSync());
    assertEquals(1, requireNonNull(committed.hardState()).commit());
    assertNull(committed.softState());
  }
}
