package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
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

  private RangeReader(Reading from, RangeQuery query, long at) {
    this.from = from;
    this.query = query;
    this.range = KeyRange.of(query.key(), query.rangeEnd());
    this.at = at;
  }

  /// @throws dev.etcdj.proto.status.EtcdException FUTURE_REV, COMPACTED (KV-36)
  static RangeResult read(Reading from, RangeQuery query) {
    if (query.revision() > from.revision()) {
      throw RpcError.FUTURE_REV.exception();
    }
    if (query.revision() > 0 && query.revision() < from.compacted()) {
      throw RpcError.COMPACTED.exception();
    }
    long at = query.revision() <= 0 ? IndexView.NEWEST : query.revision();
    return new RangeReader(from, query, at).read();
  }

  private RangeResult read() {
    if (query.countOnly()) {
      return new RangeResult(from.revision(), List.of(), count(), false);
    }
    return isFiltered() || isSorted() ? arranged() : page();
  }

  /// Keys in order up to the limit: O(log n + limit).
  private RangeResult page() {
    long limit = query.limit();
    List<byte[]> kvs = new ArrayList<>();
    from.index()
        .scan(
            range,
            at,
            hit -> {
              kvs.add(keyValue(hit));
              return kvs.size() != limit;
            });
    boolean full = kvs.size() == limit;
    long count = full ? count() : kvs.size();
    return new RangeResult(from.revision(), kvs, count, full && count > limit);
  }

  private RangeResult arranged() {
    List<Hit> hits = collect();
    List<byte[]> kvs;
    boolean more = query.limit() > 0 && hits.size() > query.limit();
    if (query.sortTarget() == SortTarget.VALUE) {
      kvs = byValue(hits);
    } else {
      sortByIndex(hits);
      kvs = new ArrayList<>();
      for (Hit hit : cut(hits)) {
        kvs.add(keyValue(hit));
      }
    }
    return new RangeResult(from.revision(), kvs, count(), more);
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

  private List<byte[]> byValue(List<Hit> hits) {
    record Row(byte[] raw, WireKeyValue parsed) {}
    List<Row> rows = new ArrayList<>(hits.size());
    for (Hit hit : hits) {
      byte[] raw = from.value(hit.modMain(), hit.modSub());
      rows.add(new Row(raw, WireKeyValue.parse(raw)));
    }
    Comparator<Row> order = (a, b) -> a.parsed.compareValue(b.parsed);
    rows.sort(query.sortOrder() == SortOrder.DESCEND ? order.reversed() : order);
    List<byte[]> kvs = new ArrayList<>();
    for (Row row : cut(rows)) {
      kvs.add(query.keysOnly() ? row.parsed.withoutValue() : row.raw);
    }
    return kvs;
  }

  private <T> List<T> cut(List<T> all) {
    long limit = query.limit();
    return limit > 0 && all.size() > limit ? all.subList(0, (int) limit) : all;
  }

  /// KV-41: without the value, the index knows all but the lease.
  private byte[] keyValue(Hit hit) {
    if (query.keysOnly()) {
      return WireKeyValue.encode(
          hit.key(), hit.create(), hit.modMain(), hit.version(), ByteString.EMPTY, 0);
    }
    return from.value(hit.modMain(), hit.modSub());
  }

  private long count() {
    return from.index().count(range, at);
  }
}
