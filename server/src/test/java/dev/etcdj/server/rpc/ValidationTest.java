package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Guarantees which requests are refused, with which error, and which one comes first. Source:
/// kv.md; each row names its rule. Replay the random part with `-Dseed=`.
class ValidationTest {
  private static @Nullable RpcError check(Runnable validation) {
    try {
      validation.run();
      return null;
    } catch (EtcdException e) {
      for (RpcError error : RpcError.values()) {
        if (error.text().equals(e.text())) {
          return error;
        }
      }
      throw e;
    }
  }

  private static void expect(
      String rule, @Nullable RpcError expected, Consumer<TxnRequest.Builder> txn) {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    txn.accept(request);
    assertEquals(expected, check(() -> Validation.txn(request.build(), 128)), rule);
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFrom(text, java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private static RequestOp put(String key) {
    return RequestOp.newBuilder().setRequestPut(PutRequest.newBuilder().setKey(bytes(key))).build();
  }

  private static RequestOp delete(String key, String end) {
    return RequestOp.newBuilder()
        .setRequestDeleteRange(
            DeleteRangeRequest.newBuilder().setKey(bytes(key)).setRangeEnd(bytes(end)))
        .build();
  }

  private static RequestOp get(String key) {
    return RequestOp.newBuilder()
        .setRequestRange(RangeRequest.newBuilder().setKey(bytes(key)))
        .build();
  }

  private static RequestOp nested(List<RequestOp> success, List<RequestOp> failure) {
    return RequestOp.newBuilder()
        .setRequestTxn(TxnRequest.newBuilder().addAllSuccess(success).addAllFailure(failure))
        .build();
  }

  @Test
  void rangeTable() {
    RangeRequest.Builder range = RangeRequest.newBuilder();
    assertEquals(RpcError.EMPTY_KEY, check(() -> Validation.range(range.build())), "KV-30");
    range.setSortTargetValue(9);
    assertEquals(
        RpcError.EMPTY_KEY, check(() -> Validation.range(range.build())), "KV-31 after 30");
    range.setKey(bytes("a"));
    assertEquals(
        RpcError.INVALID_SORT_OPTION, check(() -> Validation.range(range.build())), "KV-31");
    range.setSortTargetValue(4).setSortOrderValue(-1);
    assertEquals(
        RpcError.INVALID_SORT_OPTION, check(() -> Validation.range(range.build())), "KV-31");
    range.setSortOrderValue(2).setLimit(-5).setRangeEnd(bytes("A"));
    assertEquals(null, check(() -> Validation.range(range.build())), "KV-34, KV-38");
    assertEquals(
        RpcError.RANGE_STREAM_SORT, check(() -> Validation.rangeStream(range.build())), "KV-55");
    range.setSortOrderValue(0);
    assertEquals(null, check(() -> Validation.rangeStream(range.build())), "KV-55");
    range.setMaxCreateRevision(1);
    assertEquals(
        RpcError.RANGE_STREAM_FILTER, check(() -> Validation.rangeStream(range.build())), "KV-55");
  }

  @Test
  void putTable() {
    PutRequest.Builder put =
        PutRequest.newBuilder()
            .setIgnoreValue(true)
            .setIgnoreLease(true)
            .setValue(bytes("v"))
            .setLease(1);
    assertEquals(RpcError.EMPTY_KEY, check(() -> Validation.put(put.build())), "KV-65");
    put.setKey(bytes("k"));
    assertEquals(RpcError.VALUE_PROVIDED, check(() -> Validation.put(put.build())), "KV-65");
    put.clearValue();
    assertEquals(RpcError.LEASE_PROVIDED, check(() -> Validation.put(put.build())), "KV-65");
    put.clearLease();
    assertEquals(null, check(() -> Validation.put(put.build())), "KV-65");
  }

  @Test
  void txnTable() {
    List<RequestOp> many = Collections.nCopies(128, get("a"));
    expect("KV-79", null, txn -> txn.addAllSuccess(many).addAllFailure(many));
    expect("KV-79", RpcError.TOO_MANY_OPS, txn -> txn.addAllSuccess(many).addSuccess(get("a")));
    expect(
        "KV-79: a nested one has what is left",
        RpcError.TOO_MANY_OPS,
        txn ->
            txn.addSuccess(
                nested(List.of(nested(Collections.nCopies(127, get("a")), List.of())), List.of())));
    expect(
        "KV-79: siblings do not add up",
        null,
        txn ->
            txn.addSuccess(nested(Collections.nCopies(126, get("a")), List.of()))
                .addSuccess(nested(Collections.nCopies(126, get("a")), List.of())));
    expect(
        "KV-78: count before keys",
        RpcError.TOO_MANY_OPS,
        txn -> txn.addAllSuccess(Collections.nCopies(129, get(""))));
    expect(
        "KV-78: compares before operations",
        RpcError.EMPTY_KEY,
        txn -> txn.addCompare(Compare.newBuilder()).addSuccess(RequestOp.newBuilder()));
    expect(
        "KV-78: success before failure",
        RpcError.KEY_NOT_FOUND,
        txn -> txn.addSuccess(RequestOp.newBuilder()).addFailure(get("")));
    expect(
        "KV-78: nested, recursively",
        RpcError.EMPTY_KEY,
        txn -> txn.addFailure(nested(List.of(), List.of(delete("", "")))));
    expect(
        "KV-78: duplicates last",
        RpcError.EMPTY_KEY,
        txn -> txn.addSuccess(put("a")).addSuccess(put("a")).addFailure(get("")));
  }

  @Test
  void duplicateTable() {
    expect("KV-76", RpcError.DUPLICATE_KEY, t -> t.addSuccess(put("a")).addSuccess(put("a")));
    expect("KV-76", RpcError.DUPLICATE_KEY, t -> t.addFailure(put("a")).addFailure(put("a")));
    expect("KV-76: branches", null, t -> t.addSuccess(put("a")).addFailure(put("a")));
    expect(
        "KV-76: put before its delete",
        RpcError.DUPLICATE_KEY,
        t -> t.addSuccess(put("b")).addSuccess(delete("a", "c")));
    expect(
        "KV-76: after the range", null, t -> t.addSuccess(put("c")).addSuccess(delete("a", "c")));
    expect(
        "KV-76: overlapping deletes",
        null,
        t -> t.addSuccess(delete("a", "c")).addSuccess(delete("b", "d")).addSuccess(put("d")));
    expect(
        "KV-76: merged deletes",
        RpcError.DUPLICATE_KEY,
        t -> t.addSuccess(delete("a", "c")).addSuccess(delete("b", "d")).addSuccess(put("c")));
    expect("KV-77", null, t -> t.addSuccess(delete("b", "\0")).addSuccess(put("ba")));
    expect(
        "KV-76: both branches of a child",
        null,
        t -> t.addSuccess(nested(List.of(put("a")), List.of(put("a")))));
    expect(
        "KV-76: two children",
        RpcError.DUPLICATE_KEY,
        t ->
            t.addSuccess(nested(List.of(put("a")), List.of()))
                .addSuccess(nested(List.of(), List.of(put("a")))));
    expect(
        "KV-76: child and parent",
        RpcError.DUPLICATE_KEY,
        t -> t.addSuccess(nested(List.of(put("a")), List.of())).addSuccess(put("a")));
    expect(
        "KV-76: a child's delete, its parent's put",
        RpcError.DUPLICATE_KEY,
        t -> t.addSuccess(put("a")).addSuccess(nested(List.of(delete("a", "")), List.of())));
    expect(
        "KV-76: a parent's delete, its child's put",
        RpcError.DUPLICATE_KEY,
        t -> t.addSuccess(nested(List.of(put("a")), List.of())).addSuccess(delete("a", "b")));
    // Order decides between children; so does a real 3.7.1.
    expect(
        "KV-76: a child's delete, a later child's put",
        RpcError.DUPLICATE_KEY,
        t ->
            t.addSuccess(nested(List.of(delete("a", "")), List.of()))
                .addSuccess(nested(List.of(put("a")), List.of())));
    expect(
        "KV-76: a child's put, a later child's delete",
        null,
        t ->
            t.addSuccess(nested(List.of(put("a")), List.of()))
                .addSuccess(nested(List.of(delete("a", "")), List.of())));
    expect(
        "KV-76: one branch deletes what the other puts",
        null,
        t -> t.addSuccess(nested(List.of(put("a")), List.of(delete("a", "")))));
  }

  /// The merged ranges against a plain list of them.
  @Test
  void keyRangesContainWhatWasAdded() {
    long seed = Long.getLong("seed", 77);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      KeyRanges ranges = new KeyRanges();
      List<ByteString[]> plain = new ArrayList<>();
      for (int i = 0; i < random.nextInt(12); i++) {
        ByteString from = key(random);
        ByteString to = random.nextInt(3) == 0 ? ByteString.EMPTY : key(random);
        ranges.add(from, to);
        plain.add(new ByteString[] {from, to.isEmpty() ? KeyRanges.after(from) : to});
      }
      for (int i = 0; i < 40; i++) {
        ByteString key = key(random);
        boolean expected =
            plain.stream()
                .anyMatch(
                    range ->
                        KeyRanges.compare(range[0], key) <= 0
                            && KeyRanges.compare(key, range[1]) < 0);
        assertEquals(expected, ranges.contain(key), "seed " + seed);
      }
    }
  }

  private static ByteString key(Random random) {
    byte[] key = new byte[1 + random.nextInt(2)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) * 85);
    }
    return ByteString.copyFrom(key);
  }
}
