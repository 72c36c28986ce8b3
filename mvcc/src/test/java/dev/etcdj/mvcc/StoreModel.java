package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The simplest store there is: a list of all changes, gone through for every question.
final class StoreModel {
  record Row(
      long main, int sub, ByteString key, ByteString value, long create, long version, long lease) {
    boolean isDelete() {
      return version == 0;
    }

    byte[] wire() {
      return isDelete()
          ? WireKeyValue.encodeTombstone(key.toByteArray())
          : WireKeyValue.encode(key.toByteArray(), create, main, version, value, lease);
    }
  }

  static final Comparator<ByteString> ORDER = ByteString.unsignedLexicographicalComparator();

  final List<Row> rows = new ArrayList<>();
  long revision = 1;
  long compacted = -1;

  /// Newest change of each key up to `at`, in key order, without deleted keys.
  Map<ByteString, Row> state(long at) {
    Map<ByteString, Row> state = new TreeMap<>(ORDER);
    for (Row row : rows) {
      if (row.main > at) {
        break;
      }
      if (row.isDelete()) {
        state.remove(row.key);
      } else {
        state.put(row.key, row);
      }
    }
    return state;
  }

  List<Row> range(ByteString key, ByteString end, long at) {
    return state(at).values().stream().filter(row -> covers(key, end, row.key)).toList();
  }

  static boolean covers(ByteString key, ByteString end, ByteString candidate) {
    if (end.isEmpty()) {
      return candidate.equals(key);
    }
    boolean open = end.size() == 1 && end.byteAt(0) == 0;
    return ORDER.compare(key, candidate) <= 0 && (open || ORDER.compare(candidate, end) < 0);
  }

  /// Adds the next change of revision `main`; returns the row.
  Row put(long main, int sub, ByteString key, ByteString value, long lease) {
    Row before = state(main).get(key);
    Row row =
        new Row(
            main,
            sub,
            key,
            value,
            before == null ? main : before.create,
            before == null ? 1 : before.version + 1,
            lease);
    rows.add(row);
    return row;
  }

  Row delete(long main, int sub, ByteString key) {
    Row row = new Row(main, sub, key, ByteString.EMPTY, 0, 0, 0);
    rows.add(row);
    return row;
  }

  /// Rows a store compacted at [#compacted] holds (KV-103).
  List<Row> survivors() {
    Map<ByteString, Row> newest = new TreeMap<>(ORDER);
    for (Row row : rows) {
      if (row.main <= compacted) {
        newest.put(row.key, row);
      }
    }
    return rows.stream()
        .filter(
            row ->
                row.main > compacted
                    || (newest.get(row.key) == row && (!row.isDelete() || row.main == compacted)))
        .toList();
  }

  /// What a crash leaves.
  void truncate(long toRevision, long toCompacted) {
    rows.removeIf(row -> row.main > toRevision);
    revision = toRevision;
    compacted = toCompacted;
  }
}
