package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
import dev.etcdj.mvcc.backend.PinnedValues;
import dev.etcdj.mvcc.index.Hit;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.index.KeyRange;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/// Answers a [RangeQuery]. Whatever can be decided by the index is: filters, every order but that
/// by value, counts. Values are fetched only for keys that are in the answer.
final class RangeReader {
  private final Reading from;
  private final RangeQuery query;
  private final KeyRange range;
  private final long at;
  private final Answer answer;

  /// Takes the key-values of an answer, in their order.
  private interface Answer {
    /// The change that is stored at that revision.
    void addStored(long main, int sub);

    /// One that is not stored, or was read already; wire-form.
    void add(byte[] keyValue);

    int size();
  }

  /// What an answer tells beside its key-values, see [RangeResult].
  record Totals(long count, boolean more) {}

  private RangeReader(Reading from, RangeQuery query, long at, Answer answer) {
    this.from = from;
    this.query = query;
    this.range = KeyRange.of(query.key(), query.rangeEnd());
    this.at = at;
    this.answer = answer;
  }

  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED (KV-36)
  static RangeResult read(Reading from, RangeQuery query) {
    List<byte[]> kvs = new ArrayList<>();
    Totals totals = answer(from, query, new Copies(from, kvs));
    return new RangeResult(from.revision(), kvs, totals.count(), totals.more());
  }

  /// The same without copying what is stored.
  ///
  /// @return to be closed, which closes `from`
  static RangeView open(SnapshotReading from, RangeQuery query) {
    PinnedValues kvs = new PinnedValues();
    Totals totals = answer(from, query, new Places(from, kvs));
    return new RangeView(from, totals, kvs);
  }

  private record Copies(Reading from, List<byte[]> kvs) implements Answer {
    @Override
    public void addStored(long main, int sub) {
      kvs.add(from.value(main, sub));
    }

    @Override
    public void add(byte[] keyValue) {
      kvs.add(keyValue);
    }

    @Override
    public int size() {
      return kvs.size();
    }
  }

  private record Places(SnapshotReading from, PinnedValues kvs) implements Answer {
    @Override
    public void addStored(long main, int sub) {
      from.pin(main, sub, kvs);
    }

    @Override
    public void add(byte[] keyValue) {
      kvs.add(keyValue);
    }

    @Override
    public int size() {
      return kvs.size();
    }
  }

  private static Totals answer(Reading from, RangeQuery query, Answer into) {
    if (query.revision() > from.revision()) {
      throw RpcError.FUTURE_REV.exception();
    }
    if (query.revision() > 0 && query.revision() < from.compacted()) {
      throw RpcError.COMPACTED.exception();
    }
    long at = query.revision() <= 0 ? IndexView.NEWEST : query.revision();
    return new RangeReader(from, query, at, into).run();
  }

  private Totals run() {
    if (query.countOnly()) {
      return new Totals(count(), false);
    }
    return isFiltered() || isSorted() ? arranged() : page();
  }

  /// Keys in order up to the limit: O(log n + limit).
  private Totals page() {
    long limit = query.limit();
    from.index()
        .scan(
            range,
            at,
            hit -> {
              add(hit);
              return answer.size() != limit;
            });
    boolean full = answer.size() == limit;
    long count = full ? count() : answer.size();
    return new Totals(count, full && count > limit);
  }

  private Totals arranged() {
    List<Hit> hits = collect();
    boolean more = query.limit() > 0 && hits.size() > query.limit();
    if (query.sortTarget() == SortTarget.VALUE) {
      addByValue(hits);
    } else {
      sortByIndex(hits);
      for (Hit hit : cut(hits)) {
        add(hit);
      }
    }
    return new Totals(count(), more);
  }

  /// All keys that pass the filters; without an explicit order only the first limit + 1 (KV-48).
  private List<Hit> collect() {
    long limit = query.limit();
    boolean firstOnly = query.sortOrder() == SortOrder.NONE && !isFiltered() && limit > 0;
    List<Hit> hits = new ArrayList<>();
    from.index()
        .scan(
            range,
            at,
            hit -> {
              if (passes(hit)) {
                hits.add(hit.copy());
              }
              return !firstOnly || hits.size() <= limit;
            });
    return hits;
  }

  private boolean isFiltered() {
    return query.minModRevision() != 0
        || query.maxModRevision() != 0
        || query.minCreateRevision() != 0
        || query.maxCreateRevision() != 0;
  }

  private boolean isSorted() {
    return query.sortTarget() != SortTarget.KEY || query.sortOrder() == SortOrder.DESCEND;
  }

  private boolean passes(Hit hit) {
    return within(hit.modMain(), query.minModRevision(), query.maxModRevision())
        && within(hit.create(), query.minCreateRevision(), query.maxCreateRevision());
  }

  private static boolean within(long revision, long min, long max) {
    return (min == 0 || revision >= min) && (max == 0 || revision <= max);
  }

  /// Ties stay in key order, whatever the direction: every member answers alike.
  private void sortByIndex(List<Hit> hits) {
    Comparator<Hit> order =
        switch (query.sortTarget()) {
          case VERSION -> Comparator.comparingLong(Hit::version);
          case CREATE -> Comparator.comparingLong(Hit::create);
          case MOD -> Comparator.comparingLong(Hit::modMain);
          case KEY, VALUE -> null;
        };
    boolean descending = query.sortOrder() == SortOrder.DESCEND;
    if (order != null) {
      hits.sort(descending ? order.reversed() : order);
    } else if (descending) {
      Collections.reverse(hits);
    }
  }

  /// Reads all of them, wherever they end: the order is in the values.
  private void addByValue(List<Hit> hits) {
    record Row(byte[] raw, WireKeyValue parsed) {}
    List<Row> rows = new ArrayList<>(hits.size());
    for (Hit hit : hits) {
      byte[] raw = from.value(hit.modMain(), hit.modSub());
      rows.add(new Row(raw, WireKeyValue.parse(raw)));
    }
    Comparator<Row> order = (a, b) -> a.parsed.compareValue(b.parsed);
    rows.sort(query.sortOrder() == SortOrder.DESCEND ? order.reversed() : order);
    for (Row row : cut(rows)) {
      answer.add(query.keysOnly() ? row.parsed.withoutValue() : row.raw);
    }
  }

  private <T> List<T> cut(List<T> all) {
    long limit = query.limit();
    return limit > 0 && all.size() > limit ? all.subList(0, (int) limit) : all;
  }

  /// KV-41: without the value, the index knows all but the lease.
  private void add(Hit hit) {
    if (query.keysOnly()) {
      answer.add(
          WireKeyValue.encode(
              hit.key(), hit.create(), hit.modMain(), hit.version(), ByteString.EMPTY, 0));
    } else {
      answer.addStored(hit.modMain(), hit.modSub());
    }
  }

  private long count() {
    return from.index().count(range, at);
  }
}
