package dev.etcdj.server.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.etcdj.mvcc.RangeQuery;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.proto.etcdserverpb.AlarmRequest;
import dev.etcdj.proto.etcdserverpb.AlarmType;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpoint;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpointRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestHeader;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Guarantees that entries take effect once, whatever crashes, and that no request stops the
/// member. Source: raft.md RAFT-120..126, kv.md KV-120..126, README of the semantics, last section.
/// Replay the random parts with `-Dseed=`.
class ApplierTest {
  private Machine machine = new Machine().bootstrap();
  private final List<ApplyResult> answers = new ArrayList<>();

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static PutRequest put(String key, String value) {
    return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build();
  }

  private ApplyResult propose(int field, MessageLite request) {
    answers.clear();
    var _ = machine.proposer.propose(field, request, answers::add);
    machine.run();
    return answers.isEmpty() ? ApplyResult.DONE : answers.getFirst();
  }

  private String refusal(int field, MessageLite request) {
    return propose(field, request) instanceof ApplyResult.Refused refused
        ? refused.error().text()
        : "";
  }

  private static Machine restart(MemoryBackend backend, List<Entry> log) {
    ScriptedRaft raft = new ScriptedRaft();
    Machine machine = new Machine(backend, raft, (_, _) -> {}, -1, () -> {}, () -> {});
    raft.log.addAll(log);
    raft.committed(log.size());
    assertTrue(machine.loop.offer(new ApplyTask.Entries(log, () -> {})));
    machine.run();
    return machine;
  }

  private static String contents(Machine machine) {
    StringBuilder all = new StringBuilder();
    machine.kv.history(
        0,
        Long.MAX_VALUE,
        event -> {
          all.append(event.revision()).append(event.delete()).append(event.key().toStringUtf8());
          return true;
        });
    return all
        + " leases "
        + machine.lessor.ids().stream().sorted().toList()
        + " alarms "
        + machine.alarms.all()
        + " revision "
        + machine.kv.revision()
        + " compacted "
        + machine.kv.compactedRevision();
  }

  @Test
  void appliedIsTheBackendsConsistentIndex() {
    propose(InternalRaftRequest.PUT_FIELD_NUMBER, put("a", "1"));
    propose(
        InternalRaftRequest.LEASE_REVOKE_FIELD_NUMBER,
        LeaseRevokeRequest.newBuilder().setID(9).build());
    assertEquals(4, machine.applier.appliedIndex());
    // RAFT-121: what has no effect moves the index, too.
    assertEquals(
        4,
        new Machine(machine.backend, new ScriptedRaft(), (_, _) -> {}, -1, () -> {}, () -> {})
            .applier.appliedIndex());
    // KV-10
    assertEquals(1, machine.applier.headerTerm());
    assertEquals(
        0,
        new Machine(machine.backend, new ScriptedRaft(), (_, _) -> {}, -1, () -> {}, () -> {})
            .applier.headerTerm());
  }

  @Test
  void aGapStopsTheMember() {
    Entry far = new Entry(1, 9, EntryType.NORMAL, Bytes.EMPTY);
    assertTrue(machine.loop.offer(new ApplyTask.Entries(List.of(far), () -> {})));
    assertThrows(InvariantViolation.class, machine.loop::doWork);
    // And it stays stopped.
    assertThrows(InvariantViolation.class, machine.loop::doWork);
  }

  @Test
  void boundaryTasksSeeExactlyOnePoint() {
    var _ = machine.raft.commitEmpty();
    var point = machine.loop.atBoundary(at -> at.index() + " " + machine.applier.appliedIndex());
    machine.run();
    assertEquals("2 2", point.join());
  }

  @Test
  void memberChangesAnswerTheirProposer() {
    var _ =
        machine.proposer.proposeConfChange(
            id ->
                dev.etcdj.raft.ConfChange.single(
                    dev.etcdj.raft.ConfChange.Kind.REMOVE_NODE, 42, id, Bytes.EMPTY),
            answers::add);
    machine.run();
    assertEquals(
        "etcdserver: member not found", ((ApplyResult.Refused) answers.getFirst()).error().text());
    assertEquals(3, machine.applier.appliedIndex());
  }

  @Test
  void alarmsComeFirst() {
    AlarmRequest noSpace = Commands.activateNoSpace(ScriptedRaft.SELF);
    propose(InternalRaftRequest.ALARM_FIELD_NUMBER, noSpace);
    TxnRequest putInFailure =
        TxnRequest.newBuilder()
            .addFailure(RequestOp.newBuilder().setRequestPut(put("a", "")))
            .build();
    // KV-123
    String full = "etcdserver: mvcc: database space exceeded";
    assertEquals(full, refusal(InternalRaftRequest.PUT_FIELD_NUMBER, put("a", "1")));
    assertEquals(full, refusal(InternalRaftRequest.TXN_FIELD_NUMBER, putInFailure));
    assertEquals(
        full,
        refusal(
            InternalRaftRequest.LEASE_GRANT_FIELD_NUMBER,
            LeaseGrantRequest.newBuilder().setID(1).setTTL(5).build()));
    assertEquals(
        "",
        refusal(
            InternalRaftRequest.DELETE_RANGE_FIELD_NUMBER,
            DeleteRangeRequest.newBuilder().setKey(bytes("a")).build()));
    // KV-23, KV-125: CORRUPT before NOSPACE.
    propose(
        InternalRaftRequest.ALARM_FIELD_NUMBER,
        noSpace.toBuilder().setAlarm(AlarmType.CORRUPT).setMemberID(0).build());
    String corrupt = "etcdserver: corrupt cluster";
    assertEquals(corrupt, refusal(InternalRaftRequest.PUT_FIELD_NUMBER, put("a", "1")));
    assertEquals(
        corrupt,
        refusal(
            InternalRaftRequest.COMPACTION_FIELD_NUMBER,
            CompactionRequest.newBuilder().setRevision(1).build()));
    assertEquals(
        corrupt,
        refusal(
            InternalRaftRequest.LEASE_REVOKE_FIELD_NUMBER,
            LeaseRevokeRequest.newBuilder().setID(1).build()));
    assertEquals(1, machine.kv.revision());
  }

  @Test
  void overTheQuotaIsExecutedAndRefused() {
    machine =
        new Machine(
                new MemoryBackend(Machine.options()),
                new ScriptedRaft(),
                (_, _) -> {},
                1,
                () -> {},
                () -> {})
            .bootstrap();
    // KV-122
    assertEquals(
        "etcdserver: mvcc: database space exceeded",
        refusal(InternalRaftRequest.PUT_FIELD_NUMBER, put("a", "1")));
    assertEquals(2, machine.kv.revision());
    assertTrue(machine.alarms.isActive(ScriptedRaft.SELF, AlarmType.NOSPACE));
    // From now on refused without effect.
    refusal(InternalRaftRequest.PUT_FIELD_NUMBER, put("a", "1"));
    assertEquals(2, machine.kv.revision());
  }

  /// README of the semantics: this ends a real 3.7.1 for good.
  @Test
  void theTransactionThatKillsEtcd() {
    propose(InternalRaftRequest.PUT_FIELD_NUMBER, put("ba", "1"));
    TxnRequest deadly =
        TxnRequest.newBuilder()
            .addSuccess(
                RequestOp.newBuilder()
                    .setRequestDeleteRange(
                        DeleteRangeRequest.newBuilder()
                            .setKey(bytes("b"))
                            .setRangeEnd(ByteString.copyFrom(new byte[1]))))
            .addSuccess(
                RequestOp.newBuilder()
                    .setRequestPut(
                        PutRequest.newBuilder().setKey(bytes("ba")).setIgnoreValue(true)))
            .build();
    assertEquals(
        "etcdserver: key not found", refusal(InternalRaftRequest.TXN_FIELD_NUMBER, deadly));
    assertEquals(2, machine.kv.revision());
    assertEquals(1, machine.kv.range(RangeQuery.of(bytes("ba"), ByteString.EMPTY)).count());
  }

  /// Any history of odd requests, cut by crashes at any point that lose what was not durable,
  // leaves
  /// what it leaves without a crash; and nothing in it stops the member.
  @Test
  void oddRequestsApplyOnceThroughCrashes() {
    long seed = Long.getLong("seed", 4_242);
    Random random = new Random(seed);
    for (int round = 0; round < 30; round++) {
      List<Entry> log = new ArrayList<>(new Machine().bootstrap().raft.log);
      OddRequests requests = new OddRequests(random);
      while (log.size() < 150) {
        log.add(new Entry(1 + log.size() / 60, log.size() + 1L, EntryType.NORMAL, requests.next()));
      }
      String expected = contents(restart(new MemoryBackend(Machine.options()), log));

      MemoryBackend backend = new MemoryBackend(Machine.options());
      int applied = 0;
      while (applied < log.size()) {
        applied = Math.min(log.size(), applied + 1 + random.nextInt(60));
        Machine running = restart(backend, log.subList(0, applied));
        assertEquals(applied, running.applier.appliedIndex(), "seed " + seed);
        if (random.nextBoolean()) {
          var _ = backend.commit();
          while (backend.doWork()) {}
        }
        backend = backend.crash(Machine.options(), random);
      }
      assertEquals(expected, contents(restart(backend, log)), "seed " + seed + " round " + round);
    }
  }

  /// Requests as an adversary writes them, over few keys so that they meet.
  private static final class OddRequests {
    private static final String[] KEYS = {"a", "b", "ba", "c", "\0", "zz"};
    private final Random random;

    OddRequests(Random random) {
      this.random = random;
    }

    Bytes next() {
      InternalRaftRequest.Builder entry =
          InternalRaftRequest.newBuilder()
              .setHeader(RequestHeader.newBuilder().setID(random.nextLong()));
      switch (random.nextInt(12)) {
        case 0, 1 -> entry.setPut(put());
        case 2 -> entry.setDeleteRange(delete());
        case 3 ->
            entry.setLeaseGrant(
                LeaseGrantRequest.newBuilder().setID(lease()).setTTL(random.nextInt(9) - 2));
        case 4 -> entry.setLeaseRevoke(LeaseRevokeRequest.newBuilder().setID(lease()));
        case 5 ->
            entry.setCompaction(CompactionRequest.newBuilder().setRevision(random.nextInt(60) - 2));
        case 6 ->
            entry.setLeaseCheckpoint(
                LeaseCheckpointRequest.newBuilder()
                    .addCheckpoints(
                        LeaseCheckpoint.newBuilder()
                            .setID(lease())
                            .setRemainingTTL(random.nextInt(5))));
        case 7 -> {
          if (random.nextInt(6) == 0) {
            entry.setAlarm(
                AlarmRequest.newBuilder()
                    .setActionValue(random.nextInt(5) - 1)
                    .setMemberID(random.nextInt(2))
                    .setAlarmValue(random.nextInt(5) - 1));
          } else {
            entry.setRange(range());
          }
        }
        default -> entry.setTxn(txn(3));
      }
      return Bytes.wrap(entry.build().toByteArray());
    }

    private ByteString key() {
      return bytes(KEYS[random.nextInt(KEYS.length)]);
    }

    private ByteString end() {
      return switch (random.nextInt(4)) {
        case 0 -> ByteString.EMPTY;
        case 1 -> ByteString.copyFrom(new byte[1]);
        default -> key();
      };
    }

    private long lease() {
      return random.nextInt(4) - 1;
    }

    private PutRequest put() {
      return PutRequest.newBuilder()
          .setKey(key())
          .setValue(bytes("v" + random.nextInt(3)))
          .setLease(random.nextInt(3) == 0 ? lease() : 0)
          .setIgnoreValue(random.nextInt(5) == 0)
          .setIgnoreLease(random.nextInt(5) == 0)
          .setPrevKv(random.nextBoolean())
          .build();
    }

    private DeleteRangeRequest delete() {
      return DeleteRangeRequest.newBuilder()
          .setKey(key())
          .setRangeEnd(end())
          .setPrevKv(random.nextBoolean())
          .build();
    }

    private RangeRequest range() {
      return RangeRequest.newBuilder()
          .setKey(key())
          .setRangeEnd(end())
          .setRevision(random.nextInt(4) == 0 ? random.nextInt(80) - 3 : 0)
          .setLimit(random.nextInt(4) - 1)
          .setSortOrderValue(random.nextInt(5) - 1)
          .setSortTargetValue(random.nextInt(7) - 1)
          .setCountOnly(random.nextInt(4) == 0)
          .setKeysOnly(random.nextInt(4) == 0)
          .setMinModRevision(random.nextInt(6) == 0 ? random.nextInt(30) : 0)
          .build();
    }

    private TxnRequest txn(int depth) {
      TxnRequest.Builder txn = TxnRequest.newBuilder();
      for (int i = random.nextInt(3); i > 0; i--) {
        txn.addCompare(
            Compare.newBuilder()
                .setKey(key())
                .setRangeEnd(random.nextInt(4) == 0 ? end() : ByteString.EMPTY)
                .setTargetValue(random.nextInt(7) - 1)
                .setResultValue(random.nextInt(6) - 1)
                .setVersion(random.nextInt(3)));
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        txn.addSuccess(op(depth));
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        txn.addFailure(op(depth));
      }
      return txn.build();
    }

    private RequestOp op(int depth) {
      RequestOp.Builder op = RequestOp.newBuilder();
      switch (random.nextInt(depth > 0 ? 8 : 6)) {
        case 0 -> op.setRequestRange(range());
        case 1, 2 -> op.setRequestDeleteRange(delete());
        case 3, 4 -> op.setRequestPut(put());
        case 5 -> {
          if (random.nextInt(5) > 0) {
            op.setRequestPut(put());
          }
        }
        default -> op.setRequestTxn(txn(depth - 1));
      }
      return op.build();
    }
  }
}
