package dev.etcdj.mvcc;

import static dev.etcdj.mvcc.StoreFixture.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.txn.Compare;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Guarantee: a transaction that cannot be done is an answer, decided before execution, and leaves
/// nothing behind: no row, no revision, no event, no lease, no change in the index (KV-66, KV-77,
/// KV-84, KV-87..90). Whatever is thrown at it, the store neither stops nor half-executes.
class TxnChecksTest {
  private static final ByteString ON = ByteString.copyFrom(new byte[1]);

  private final StoreFixture fixture = new StoreFixture();

  @BeforeEach
  void fill() {
    fixture.put("a", "1");
    fixture.put("b", "2");
    fixture.put("ba", "3");
  }

  @Test
  void keepingTheValueOfAKeyDeletedBeforeIsRefused() {
    refused(RpcError.KEY_NOT_FOUND, delete("b", ON), keepValue("ba"));
    refused(RpcError.KEY_NOT_FOUND, delete("b", ON), keepLease("ba"));
    refused(RpcError.KEY_NOT_FOUND, put("c", "x", 0), delete("b", ON), keepValue("c"));
    refused(RpcError.KEY_NOT_FOUND, delete("ba", ByteString.EMPTY), keepValue("ba"));
    refused(RpcError.KEY_NOT_FOUND, delete("b", bytes("bb")), keepValue("ba"));
    refused(RpcError.KEY_NOT_FOUND, delete("b", ON), nested(keepValue("ba")));
    refused(RpcError.KEY_NOT_FOUND, nested(delete("b", ON)), nested(nested(keepLease("ba"))));
    refused(
        RpcError.KEY_NOT_FOUND,
        delete("a", bytes("b")),
        delete("b", bytes("c")),
        put("a", "x", 0),
        keepValue("a"),
        keepValue("ba"));
  }

  @Test
  void keepingAValueThatIsThereIsDone() {
    OpResult.Nested answer =
        done(delete("b", ON), put("ba", "new", 0), delete("a", bytes("b")), keepValue("ba"));
    assertEquals(5, answer.revision());
    WireKeyValue kept = kv("ba");
    assertEquals(bytes("new"), kept.value());
    assertEquals(2, kept.version());
    assertEquals(5, kept.createRevision());
    done(delete("bb", ON), delete("b", bytes("ba")), delete("c", bytes("a")), keepValue("ba"));
    assertEquals(3, kv("ba").version());
  }

  @Test
  void checksRunInOrderAgainstTheStateBefore() {
    refused(RpcError.LEASE_NOT_FOUND, put("n", "x", 7), keepValue("none"));
    refused(RpcError.KEY_NOT_FOUND, keepValue("none"), put("n", "x", 7));
    refused(RpcError.FUTURE_REV, put("n", "x", 0), range(5), keepValue("none"));
    refused(RpcError.FUTURE_REV, delete("b", ON), keepValue("ba"), range(6));
    fixture.compact(3);
    refused(RpcError.COMPACTED, put("n", "x", 0), range(2));
    refused(RpcError.COMPACTED, put("n", "x", 0), range(-1));
    done(put("n", "x", 0), range(3), range(4), range(0));
  }

  @Test
  void theOtherBranchIsNotChecked() {
    Txn txn = new Txn(List.of(), List.of(), List.of(put("n", "x", 7), range(99)));
    assertTrue(fixture.txn(txn).succeeded());
    Compare never = compare("none", Compare.Target.VALUE, Compare.Operator.NOT_EQUAL);
    OpResult.Nested answer =
        fixture.txn(new Txn(List.of(never), List.of(range(99)), List.of(put("n", "x", 0))));
    assertEquals(5, answer.revision());
  }

  @Test
  void missingKeysAndUnknownEnums() {
    for (Compare.Operator operator : Compare.Operator.values()) {
      assertEquals(false, holds(compare("none", Compare.Target.VALUE, operator)));
    }
    assertTrue(holds(compare("none", Compare.Target.LEASE, Compare.Operator.EQUAL)));
    assertTrue(holds(compare("a", Compare.Target.VERSION, Compare.Operator.UNKNOWN)));
    assertTrue(holds(compare("a", Compare.Target.UNKNOWN, Compare.Operator.EQUAL)));
    assertEquals(false, holds(compare("a", Compare.Target.UNKNOWN, Compare.Operator.NOT_EQUAL)));
  }

  @Test
  void comparesOfNestedTransactionsSeeTheStateBefore() {
    Compare absent = compare("new", Compare.Target.CREATE, Compare.Operator.EQUAL);
    Op child = new Op.Nested(new Txn(List.of(absent), List.of(put("yes", "1", 0)), List.of()));
    done(put("new", "x", 0), child);
    assertEquals(1, kv("yes").version());
  }

  @Test
  void aPutAloneIsRefusedAlike() {
    long revision = fixture.store.revision();
    WriteTxn write = fixture.store.beginWrite();
    EtcdException refusal =
        assertThrows(EtcdException.class, () -> write.put((Op.Put) put("a", "x", 7)));
    assertEquals(RpcError.LEASE_NOT_FOUND.text(), refusal.text());
    assertThrows(EtcdException.class, () -> write.put((Op.Put) keepLease("none")));
    write.abandon();
    assertEquals(revision, fixture.store.revision());
    WriteTxn changed = fixture.store.beginWrite();
    changed.put((Op.Put) put("a", "x", 0));
    assertThrows(InvariantViolation.class, changed::abandon);
  }

  /// Odd transactions: many overlapping deletions and puts that keep something. Each is either done
  /// as a naive executor would, or refused without a trace.
  @Test
  void oddTransactionsNeitherStopNorHalfExecute() {
    Random random = new Random(5);
    int refusals = 0;
    for (int i = 0; i < 3000; i++) {
      List<Op> ops = new ArrayList<>();
      for (int j = random.nextInt(6); j >= 0; j--) {
        ops.add(odd(random, 2));
      }
      String before = everything();
      long revision = fixture.store.revision();
      int events = fixture.events.size();
      try {
        fixture.txn(new Txn(List.of(), ops, ops));
      } catch (EtcdException refusal) {
        refusals++;
        assertEquals(before, everything());
        assertEquals(revision, fixture.store.revision());
        assertEquals(events, fixture.events.size());
      }
      if (i % 500 == 0) {
        fixture.restart();
      }
    }
    assertTrue(refusals > 300 && refusals < 2700, refusals + " refusals");
  }

  private Op odd(Random random, int depth) {
    String key = "k" + random.nextInt(4);
    return switch (random.nextInt(depth > 0 ? 5 : 4)) {
      case 0 -> delete(key, random.nextBoolean() ? ON : bytes("k" + random.nextInt(5)));
      case 1 -> random.nextBoolean() ? keepValue(key) : keepLease(key);
      case 2, 3 -> put(key, "v", 0);
      default -> nested(odd(random, depth - 1), odd(random, depth - 1));
    };
  }

  private String everything() {
    RangeResult all = fixture.store.range(RangeQuery.of(ON, ON));
    return all.kvs().stream().map(HexFormat.of()::formatHex).toList() + " " + all.count();
  }

  private void refused(RpcError error, Op... ops) {
    fixture.leases.granted.add(1L);
    String before = everything();
    long revision = fixture.store.revision();
    int events = fixture.events.size();
    Txn txn = new Txn(List.of(), List.of(ops), List.of());
    WriteTxn write = fixture.store.beginWrite();
    EtcdException refusal = assertThrows(EtcdException.class, () -> write.txn(txn));
    assertEquals(error.text(), refusal.text());
    assertEquals(0, write.unit().size());
    assertEquals(revision, write.revision());
    write.abandon();
    assertEquals(before, everything());
    assertEquals(revision, fixture.store.revision());
    assertEquals(events, fixture.events.size());
    assertTrue(fixture.leases.leaseOf.isEmpty());
  }

  private OpResult.Nested done(Op... ops) {
    return fixture.txn(new Txn(List.of(), List.of(ops), List.of()));
  }

  private boolean holds(Compare compare) {
    return fixture.store.readOnlyTxn(new Txn(List.of(compare), List.of(), List.of())).succeeded();
  }

  private WireKeyValue kv(String key) {
    return WireKeyValue.parse(
        fixture.store.range(RangeQuery.of(bytes(key), ByteString.EMPTY)).kvs().getFirst());
  }

  private static Compare compare(String key, Compare.Target target, Compare.Operator operator) {
    return new Compare(bytes(key), ByteString.EMPTY, target, operator, 0, ByteString.EMPTY);
  }

  private static Op put(String key, String value, long lease) {
    return new Op.Put(bytes(key), bytes(value), lease, false, false, false);
  }

  private static Op keepValue(String key) {
    return new Op.Put(bytes(key), ByteString.EMPTY, 0, false, true, false);
  }

  private static Op keepLease(String key) {
    return new Op.Put(bytes(key), bytes("kept"), 0, true, false, true);
  }

  private static Op delete(String key, ByteString end) {
    return new Op.DeleteRange(bytes(key), end, true);
  }

  private static Op nested(Op... ops) {
    return new Op.Nested(new Txn(List.of(), List.of(ops), List.of()));
  }

  private static Op range(long revision) {
    return new Op.Range(
        new RangeQuery(
            bytes("a"),
            ON,
            revision,
            0,
            RangeQuery.SortOrder.NONE,
            RangeQuery.SortTarget.KEY,
            false,
            false,
            0,
            0,
            0,
            0));
  }
}
