package dev.etcdj.server.propose;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.apply.Command;
import dev.etcdj.server.apply.Commands;
import dev.etcdj.server.apply.Machine;
import dev.etcdj.server.apply.ScriptedRaft;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Guarantees that a proposal is answered once, and with what. Source: kv.md KV-22..28, RAFT-124.
class ProposerTest {
  private final Machine machine = new Machine().bootstrap();
  private final List<String> answers = new ArrayList<>();

  private static final PutRequest PUT =
      PutRequest.newBuilder()
          .setKey(ByteString.copyFromUtf8("k"))
          .setValue(ByteString.copyFromUtf8("v"))
          .build();

  private Proposal put() {
    return machine.proposer.propose(
        new Command.Put(Commands.put(PUT)),
        InternalRaftRequest.PUT_FIELD_NUMBER,
        PUT.toByteArray(),
        result ->
            answers.add(
                result instanceof ApplyResult.Refused refused
                    ? refused.error().text()
                    : result.getClass().getSimpleName()));
  }

  @Test
  void anEntryIsWhatOtherMembersExpect() throws Exception {
    var _ = put();
    InternalRaftRequest entry =
        InternalRaftRequest.parseFrom(machine.raft.log.getLast().data().unsafeArray());
    assertEquals(PUT, entry.getPut());
    // RAFT-124: low 16 bits of the member id on top.
    assertEquals(ScriptedRaft.SELF << 48 >>> 48, entry.getHeader().getID() >>> 48);
    assertEquals(
        entry, InternalRaftRequest.parseFrom(entry.toByteArray()), "fields in ascending order");
    assertEquals(Bytes.wrap(entry.toByteArray()), machine.raft.log.getLast().data());
    machine.run();
    assertEquals(List.of("Executed"), answers);
    assertEquals(0, machine.proposer.pending());
  }

  @Test
  void requestIdsAreUniqueAndCountUp() {
    RequestIds ids = new RequestIds(0x12345, (1L << 40) - 1);
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      long id = ids.next();
      assertTrue(seen.add(id));
      assertEquals(0x2345, id >>> 48);
    }
  }

  @Test
  void waitersSkipSlotsThatAreStillTaken() {
    Waiters few = new Waiters(new RequestIds(1, 1), 4);
    List<Proposal> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Proposal proposal = new Proposal(few, null, _ -> {}, 0);
      assertTrue(few.register(proposal));
      waiting.add(proposal);
    }
    // At the limit: refused, nothing kept.
    assertTrue(!few.register(new Proposal(few, null, _ -> {}, 0)));
    assertEquals(4, few.count());
    assertSame(waiting.get(2), few.take(waiting.get(2).id));
    assertNull(few.take(waiting.get(2).id));
    Proposal late = new Proposal(few, null, _ -> {}, 0);
    assertTrue(few.register(late));
    assertNotEquals(waiting.get(2).id, late.id);
    assertEquals(waiting.get(2).id & 3, late.id & 3);
    assertNull(few.take(waiting.get(2).id), "an old id does not find the slot's new owner");
    assertNotNull(few.take(late.id));
  }

  @Test
  void tooMuchIsRefusedBeforeAnythingIsProposed() {
    long proposed = machine.raft.log.size();
    // KV-24
    machine.raft.committed(machine.applier.appliedIndex() + 5_001);
    var _ = put();
    machine.raft.committed(machine.applier.appliedIndex() + 5_000);
    machine.raft.accept = false;
    var _ = put();
    assertEquals(
        List.of("etcdserver: too many requests", "etcdserver: too many requests"), answers);
    machine.raft.accept = true;
    // KV-118
    PutRequest large = PUT.toBuilder().setValue(ByteString.copyFrom(new byte[1_572_864])).build();
    var _ =
        machine.proposer.propose(
            null,
            InternalRaftRequest.PUT_FIELD_NUMBER,
            large.toByteArray(),
            result -> answers.add(((ApplyResult.Refused) result).error().text()));
    assertEquals("etcdserver: request is too large", answers.getLast());
    assertEquals(proposed, machine.raft.log.size());
    assertEquals(0, machine.proposer.pending());
  }

  @Test
  void aDroppedProposalSaysSo() {
    machine.raft.hold = true;
    var _ = put();
    machine.raft.dropHooks.getFirst().run();
    machine.raft.dropHooks.getFirst().run();
    // KV-27
    assertEquals(List.of("raft proposal dropped"), answers);
  }

  @Test
  void aCancelledProposalIsAppliedAndNotAnswered() {
    machine.raft.hold = true;
    put().cancel();
    machine.raft.commit(dev.etcdj.raft.log.EntryType.NORMAL, machine.raft.held.getFirst());
    machine.run();
    // KV-28
    assertEquals(2, machine.kv.revision());
    assertEquals(List.of(), answers);
  }

  @Test
  void timeouts() {
    machine.raft.hold = true;
    machine.history.changed(machine.raft.view());
    machine.advance(10 * Machine.SECOND);
    machine.connections = id -> id == 2 ? Machine.SECOND : 0;
    var _ = put();
    machine.advance(7 * Machine.SECOND - 1);
    assertEquals(List.of(), answers);
    machine.advance(Machine.SECOND / 5);
    // KV-25: a leader that is its own quorum.
    assertEquals("etcdserver: request timed out", answers.getLast());

    // A follower connected to its leader all the while, then one that is not.
    machine.raft.follow(2, 2);
    machine.history.changed(machine.raft.view());
    var _ = put();
    machine.advance(8 * Machine.SECOND);
    assertEquals("etcdserver: request timed out", answers.getLast());
    var _ = put();
    machine.connections = _ -> machine.nanos.get();
    machine.advance(8 * Machine.SECOND);
    assertEquals(
        "etcdserver: request timed out, possibly due to connection lost", answers.getLast());

    // Begun in the two election timeouts before this member became leader.
    var _ = put();
    machine.advance(Machine.SECOND);
    machine.raft.lead(3);
    machine.history.changed(machine.raft.view());
    machine.advance(7 * Machine.SECOND);
    assertEquals(
        "etcdserver: request timed out, possibly due to previous leader failure",
        answers.getLast());

    // KV-26
    machine.raft.follow(0, 4);
    machine.history.changed(machine.raft.view());
    var _ = put();
    machine.advance(8 * Machine.SECOND);
    assertEquals("context deadline exceeded", answers.getLast());
    assertEquals(5, answers.size());
    assertEquals(5, machine.proposer.failedTotal());
  }

  @Test
  void stopAnswersAll() {
    machine.raft.hold = true;
    var _ = put();
    machine.proposer.stop();
    var _ = put();
    assertEquals(List.of("etcdserver: server stopped", "etcdserver: server stopped"), answers);
  }

  @Test
  void timersRunInOrderAndOnce() {
    Timers timers = new Timers(machine.nanos::get, () -> {});
    List<String> ran = new ArrayList<>();
    var _ = timers.after(30, () -> ran.add("c"));
    var _ = timers.after(10, () -> ran.add("a"));
    var cancelled = timers.after(20, () -> ran.add("x"));
    var _ = timers.every(15, () -> ran.add("p"));
    cancelled.cancel();
    assertEquals(10, timers.nanosUntilDue());
    machine.nanos.addAndGet(100);
    while (timers.doWork()) {}
    assertEquals(List.of("a", "p", "c"), ran);
    assertEquals(15, timers.nanosUntilDue());
  }
}
