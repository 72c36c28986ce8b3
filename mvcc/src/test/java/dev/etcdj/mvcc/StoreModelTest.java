package dev.etcdj.mvcc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.StoreModel.Row;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.schema.RevisionKey;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import dev.etcdj.proto.status.EtcdException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Guarantee: whatever was written, compacted, lost in a crash and written again, the store answers
/// as a list of all changes does, at every revision that is not compacted; a crash loses whole
/// revisions from the end only; after a compaction exactly the surviving rows are stored (KV-103).
///
/// Method: random operations on the store and on [StoreModel]. Replay: the seed is the parameter.
class StoreModelTest {
  private static final int KEYS = 12;

  private final StoreModel model = new StoreModel();
  private StoreFixture fixture = new StoreFixture();
  private Random random = new Random(0);
  private int crashes;
  private int compactions;

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void answersAsAListOfChanges(long seed) {
    random = new Random(seed);
    fixture = new StoreFixture(1 + random.nextInt(9));
    fixture.leases.granted.addAll(List.of(1L, 2L, 3L));
    for (int step = 0; step < 700; step++) {
      switch (random.nextInt(24)) {
        case 0 -> compact();
        case 1 -> crash();
        case 2 -> fixture.store.compactIndexStep();
        case 3 -> compareHistory();
        case 4 -> fixture.sync();
        case 5, 6 -> backgroundWork();
        case 7, 8, 9 -> compareRange();
        default -> write();
      }
      assertEquals(model.revision, fixture.store.revision());
      assertEquals(model.compacted, fixture.store.compactedRevision());
    }
    fixture.finishCompaction();
    compareRows();
    compareAllRevisions();
    fixture.restart();
    fixture.finishCompaction();
    compareRows();
    compareAllRevisions();
    compareLeases();
    assertTrue(crashes > 5 && compactions > 5, crashes + " crashes, " + compactions);
  }

  private void write() {
    long main = model.revision + 1;
    List<Row> changes = new ArrayList<>();
    WriteTxn write = fixture.store.beginWrite();
    int seen = fixture.events.size();
    int ops = random.nextInt(4) == 0 ? random.nextInt(5) : 1;
    if (random.nextBoolean()) {
      inOneTxn(write, main, ops, changes);
    } else {
      for (int i = 0; i < ops; i++) {
        Op op = op();
        compare(
            op,
            op instanceof Op.Put put ? write.put(put) : write.deleteRange((Op.DeleteRange) op),
            main,
            changes);
      }
    }
    assertEquals(changes.isEmpty() ? model.revision : main, write.revision());
    assertEquals(model.revision, fixture.store.revision(), "visible before the commit");
    write.unit().put(Bucket.META, new byte[] {1}, RevisionKey.encode(main, 0, false));
    write.commit();
    if (!changes.isEmpty()) {
      model.revision = main;
      compareEvents(changes, fixture.events.getLast());
    }
    assertEquals(seen + (changes.isEmpty() ? 0 : 1), fixture.events.size());
  }

  private void inOneTxn(WriteTxn write, long main, int count, List<Row> changes) {
    List<Op> ops = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ops.add(op());
      ops.add(new Op.Range(RangeQuery.of(key(), end())));
    }
    OpResult.Nested result =
        write.txn(
            new Txn(
                List.of(), List.of(new Op.Nested(new Txn(List.of(), ops, List.of()))), List.of()));
    List<OpResult> responses = ((OpResult.Nested) result.responses().getFirst()).responses();
    for (int i = 0; i < ops.size(); i++) {
      compare(ops.get(i), responses.get(i), main, changes);
    }
  }

  private Op op() {
    return random.nextInt(3) == 0
        ? new Op.DeleteRange(key(), end(), random.nextBoolean())
        : new Op.Put(
            key(),
            ByteString.copyFromUtf8("v" + random.nextInt(1000)),
            random.nextInt(4),
            random.nextBoolean(),
            false,
            false);
  }

  /// Runs `op` on the model and compares what it answers.
  private void compare(Op op, OpResult result, long main, List<Row> changes) {
    switch (op) {
      case Op.Put put -> {
        Row before = model.state(main).get(put.key());
        changes.add(model.put(main, changes.size(), put.key(), put.value(), put.lease()));
        assertArrayEquals(
            before == null || !put.prevKv() ? null : before.wire(),
            ((OpResult.Put) result).prevKv());
        assertEquals(main, ((OpResult.Put) result).revision());
      }
      case Op.DeleteRange delete -> {
        List<Row> gone = model.range(delete.key(), delete.rangeEnd(), main);
        for (Row row : gone) {
          changes.add(model.delete(main, changes.size(), row.key()));
        }
        OpResult.DeleteRange answer = (OpResult.DeleteRange) result;
        assertEquals(gone.size(), answer.deleted());
        assertWire(delete.prevKv() ? gone : List.of(), answer.prevKvs());
        assertEquals(changes.isEmpty() ? model.revision : main, answer.revision());
      }
      case Op.Range range -> {
        RangeResult answer = ((OpResult.Range) result).result();
        assertWire(model.range(range.query().key(), range.query().rangeEnd(), main), answer.kvs());
        assertEquals(answer.kvs().size(), answer.count());
        assertEquals(changes.isEmpty() ? model.revision : main, answer.revision());
      }
      case Op.Nested ignored -> throw new AssertionError();
    }
  }

  private void compareEvents(List<Row> changes, List<Event> events) {
    assertEquals(changes.size(), events.size());
    for (int i = 0; i < changes.size(); i++) {
      compareEvent(changes.get(i), events.get(i));
    }
  }

  private static void compareEvent(Row row, Event event) {
    assertEquals(row.key(), event.key());
    assertEquals(new Revision(row.main(), row.sub()), event.revision());
    assertEquals(row.isDelete(), event.delete());
    assertEquals(row.version() == 1, event.created());
    assertArrayEquals(row.wire(), event.keyValue());
  }

  private void compareRange() {
    long from = Math.max(1, model.compacted);
    long at = random.nextBoolean() ? 0 : from + random.nextLong(model.revision - from + 1);
    compareRange(key(), end(), at, random.nextInt(5));
    long compactedAt = model.compacted - 1;
    if (compactedAt > 0) {
      assertThrows(EtcdException.class, () -> range(key(), end(), compactedAt, 0));
    }
    assertThrows(EtcdException.class, () -> range(key(), end(), model.revision + 1, 0));
    ByteString key = key();
    Row seen = model.state(at == 0 ? model.revision : at).get(key);
    assertArrayEquals(
        seen == null ? null : seen.wire(),
        fixture.store.valueAt(key, at == 0 ? model.revision : at));
  }

  private void compareRange(ByteString key, ByteString end, long at, int limit) {
    List<Row> expected = model.range(key, end, at == 0 ? model.revision : at);
    RangeResult answer = range(key, end, at, limit);
    boolean cut = limit > 0 && expected.size() > limit;
    assertWire(cut ? expected.subList(0, limit) : expected, answer.kvs());
    assertEquals(expected.size(), answer.count());
    assertEquals(cut, answer.more());
    assertEquals(model.revision, answer.revision());
  }

  private RangeResult range(ByteString key, ByteString end, long at, int limit) {
    return fixture.store.range(
        new RangeQuery(
            key,
            end,
            at,
            limit,
            RangeQuery.SortOrder.NONE,
            RangeQuery.SortTarget.KEY,
            false,
            false,
            0,
            0,
            0,
            0));
  }

  private void compareHistory() {
    long from = model.compacted + 1 + random.nextInt(5);
    long to = from + random.nextInt(30);
    List<Row> expected =
        model.rows.stream().filter(row -> row.main() >= from && row.main() <= to).toList();
    List<Event> actual = new ArrayList<>();
    fixture.store.history(from, to, actual::add);
    compareEvents(expected, actual);
  }

  private void compareAllRevisions() {
    for (long at = Math.max(1, model.compacted); at <= model.revision; at++) {
      compareRange(ByteString.copyFrom(new byte[1]), ByteString.copyFrom(new byte[1]), at, 0);
    }
  }

  private void compareRows() {
    List<String> expected = new ArrayList<>();
    for (Row row : model.survivors()) {
      byte[] key = RevisionKey.encode(row.main(), row.sub(), row.isDelete());
      expected.add(hex(key) + "=" + hex(row.wire()));
    }
    List<String> actual = new ArrayList<>();
    try (ReadView view = fixture.backend.read()) {
      view.scan(
          Bucket.KEY, new byte[0], null, (key, value) -> actual.add(hex(key) + "=" + hex(value)));
    }
    assertEquals(expected, actual);
  }

  private void compareLeases() {
    Map<ByteString, Long> expected = new HashMap<>();
    model
        .state(model.revision)
        .forEach(
            (key, row) -> {
              if (row.lease() != 0) {
                expected.put(key, row.lease());
              }
            });
    assertEquals(expected, fixture.leases.leaseOf);
  }

  private void compact() {
    long at = model.compacted + 1 + random.nextLong(model.revision - model.compacted + 2);
    if (at > model.revision) {
      assertThrows(EtcdException.class, () -> fixture.compact(at));
      return;
    }
    compareLeases();
    fixture.compact(at);
    model.compacted = at;
    compactions++;
    assertThrows(EtcdException.class, () -> fixture.compact(at));
  }

  private void backgroundWork() {
    for (int i = random.nextInt(8); i > 0; i--) {
      fixture.nanos += 10_000_000;
      fixture.store.doWork();
      fixture.backend.doWork();
    }
  }

  /// What was written and not committed may be gone, in whole revisions from the end.
  private void crash() {
    crashes++;
    long durable = model.revision;
    boolean synced = random.nextBoolean();
    if (synced) {
      fixture.sync();
    }
    long compacted = model.compacted;
    fixture.crash(random.nextBoolean() ? random : null);
    long revision = fixture.store.revision();
    assertTrue(revision <= durable && fixture.store.compactedRevision() <= compacted);
    if (synced) {
      assertEquals(durable, revision);
      assertEquals(compacted, fixture.store.compactedRevision());
    }
    model.truncate(revision, fixture.store.compactedRevision());
    compareLeases();
    compareRange(ByteString.copyFrom(new byte[1]), ByteString.copyFrom(new byte[1]), 0, 0);
  }

  private ByteString key() {
    return ByteString.copyFromUtf8("k" + random.nextInt(KEYS));
  }

  private ByteString end() {
    return switch (random.nextInt(5)) {
      case 0, 1 -> ByteString.EMPTY;
      case 2 -> ByteString.copyFrom(new byte[1]);
      default -> key();
    };
  }

  private static void assertWire(List<Row> expected, List<byte[]> actual) {
    assertEquals(
        expected.stream().map(row -> hex(row.wire())).toList(),
        actual.stream().map(StoreModelTest::hex).toList());
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
