package dev.etcdj.mvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
import dev.etcdj.mvcc.txn.Compare;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import dev.etcdj.proto.status.EtcdException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Guarantee: the store answers every operation as etcd 3.7.1 does, HashKV included, so that the
/// stored rows are the same bytes (KV-30..115).
///
/// Method: random histories of puts, deletes, transactions, ranges with all options, leases,
/// compactions and hashes were run against a real, fresh, single-member etcd 3.7.1 by
/// `golden/record.py SEED 700`, which is beside the recordings and explains their lines. Here they
/// are replayed. With `restarts`, the store is opened anew from what is durable after every 20th
/// operation. Kept hashes of compactions do not outlive a restart in etcd either, so hashes are
/// compared without restarts only.
class GoldenHistoryTest {

  @ParameterizedTest
  @CsvSource({
    "1, false",
    "2, false",
    "3, false",
    "4, false",
    "1, true",
    "2, true",
    "3, true",
    "4, true"
  })
  void answersAsEtcd(int seed, boolean restarts) throws IOException {
    StoreFixture fixture = new StoreFixture(7);
    List<String> lines = lines("/golden/history-" + seed + ".txt");
    int hashes = 0;
    for (int i = 1; i < lines.size(); i += 2) {
      String line = lines.get(i);
      if (restarts && line.startsWith("hash")) {
        continue;
      }
      hashes += line.startsWith("hash") ? 1 : 0;
      assertEquals(lines.get(i + 1), "= " + answer(fixture, line), "line " + (i + 1) + ": " + line);
      if (restarts && i % 40 == 1) {
        fixture.restart();
      }
    }
    assertTrue(restarts || hashes > 50, "only " + hashes + " hashes compared");
  }

  private static List<String> lines(String resource) throws IOException {
    try (InputStream in = GoldenHistoryTest.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static String answer(StoreFixture fixture, String line) {
    try {
      return run(fixture, line);
    } catch (EtcdException refused) {
      return "error " + refused.text();
    }
  }

  private static String run(StoreFixture fixture, String line) {
    String[] words = line.split(" ");
    KvStore store = fixture.store;
    return switch (words[0]) {
      case "put" -> show(fixture.write(w -> w.put((Op.Put) op(line))));
      case "del" -> show(fixture.write(w -> w.deleteRange((Op.DeleteRange) op(line))));
      case "range" -> show(new OpResult.Range(store.range(((Op.Range) op(line)).query())));
      case "txn" -> showTxn(fixture, txn(line));
      case "grant" -> {
        fixture.leases.granted.add(Long.parseLong(words[1]));
        yield "ok";
      }
      case "revoke" -> revoke(fixture, Long.parseLong(words[1]));
      case "compact" -> {
        fixture.compact(Long.parseLong(words[1]));
        fixture.finishCompaction();
        yield "ok rev=" + store.revision();
      }
      case "hash" -> {
        KvStore.HashResult hash = store.hash(Long.parseLong(words[1]));
        yield "hash=%d compact=%d at=%d rev=%d"
            .formatted(
                Integer.toUnsignedLong(hash.hash()),
                hash.compactRevision(),
                hash.hashRevision(),
                hash.currentRevision());
      }
      default -> throw new IllegalArgumentException(line);
    };
  }

  /// What the lessor does on revoke (LEASE-32).
  private static String revoke(StoreFixture fixture, long lease) {
    if (!fixture.leases.granted.remove(lease)) {
      return "error etcdserver: requested lease not found";
    }
    fixture.write(
        w -> {
          for (ByteString key : List.copyOf(fixture.leases.keysOf(lease))) {
            w.deleteRange(new Op.DeleteRange(key, ByteString.EMPTY, false));
          }
          return null;
        });
    return "ok rev=" + fixture.store.revision();
  }

  private static String showTxn(StoreFixture fixture, Txn txn) {
    boolean readOnly =
        txn.success().stream().allMatch(Op.Range.class::isInstance)
            && txn.failure().stream().allMatch(Op.Range.class::isInstance);
    return show(readOnly ? fixture.store.readOnlyTxn(txn) : fixture.txn(txn));
  }

  private static Txn txn(String line) {
    String[] parts = line.substring(4).split(" [?:] ");
    List<Compare> compares = new ArrayList<>();
    for (String compare : parts[0].split(",")) {
      if (!compare.equals("-")) {
        compares.add(compare(compare.split("/")));
      }
    }
    return new Txn(compares, ops(parts[1]), ops(parts[2]));
  }

  private static Compare compare(String[] words) {
    Compare.Target target = Compare.Target.valueOf(words[0]);
    boolean value = target == Compare.Target.VALUE;
    return new Compare(
        bytes(words[1]),
        bytes(words[2]),
        target,
        Compare.Operator.valueOf(words[3]),
        value ? 0 : Long.parseLong(words[4]),
        value ? bytes(words[4]) : ByteString.EMPTY);
  }

  private static List<Op> ops(String text) {
    List<Op> ops = new ArrayList<>();
    for (String op : text.split(" \\| ")) {
      if (!op.equals("-")) {
        ops.add(op(op));
      }
    }
    return ops;
  }

  private static Op op(String line) {
    String[] w = line.split(" ");
    return switch (w[0]) {
      case "put" ->
          new Op.Put(
              bytes(w[1]),
              bytes(w[2]),
              Long.parseLong(w[3]),
              w[4].contains("p"),
              w[4].contains("v"),
              w[4].contains("l"));
      case "del" -> new Op.DeleteRange(bytes(w[1]), bytes(w[2]), w[3].contains("p"));
      case "range" ->
          new Op.Range(
              new RangeQuery(
                  bytes(w[1]),
                  bytes(w[2]),
                  Long.parseLong(w[3]),
                  Long.parseLong(w[4]),
                  SortOrder.valueOf(w[5]),
                  SortTarget.valueOf(w[6]),
                  w[7].contains("k"),
                  w[7].contains("c"),
                  Long.parseLong(w[8]),
                  Long.parseLong(w[9]),
                  Long.parseLong(w[10]),
                  Long.parseLong(w[11])));
      default -> throw new IllegalArgumentException(line);
    };
  }

  private static ByteString bytes(String word) {
    return switch (word) {
      case "-" -> ByteString.EMPTY;
      case "^" -> ByteString.copyFrom(new byte[1]);
      default -> ByteString.copyFromUtf8(word);
    };
  }

  private static String show(OpResult result) {
    return switch (result) {
      case OpResult.Put put ->
          "put rev=%d prev=%s"
              .formatted(put.revision(), put.prevKv() == null ? "-" : showKv(put.prevKv()));
      case OpResult.DeleteRange delete ->
          "del rev=%d deleted=%d prev=%s"
              .formatted(delete.revision(), delete.deleted(), showKvs(delete.prevKvs()));
      case OpResult.Range range ->
          "range rev=%d count=%d more=%s kvs=%s"
              .formatted(
                  range.result().revision(),
                  range.result().count(),
                  range.result().more(),
                  showKvs(range.result().kvs()));
      case OpResult.Nested txn ->
          "txn rev=%d ok=%s [%s]"
              .formatted(
                  txn.revision(),
                  txn.succeeded(),
                  txn.responses().stream()
                      .map(GoldenHistoryTest::show)
                      .collect(Collectors.joining("; ")));
    };
  }

  private static String showKvs(List<byte[]> kvs) {
    return kvs.isEmpty()
        ? "-"
        : kvs.stream().map(GoldenHistoryTest::showKv).collect(Collectors.joining(","));
  }

  private static String showKv(byte[] raw) {
    WireKeyValue kv = WireKeyValue.parse(raw);
    return "%s:%s:%d:%d:%d:%d"
        .formatted(
            word(kv.key()),
            word(kv.value()),
            kv.createRevision(),
            kv.modRevision(),
            kv.version(),
            kv.lease());
  }

  private static String word(ByteString bytes) {
    return bytes.isEmpty() ? "-" : bytes.toStringUtf8();
  }
}
