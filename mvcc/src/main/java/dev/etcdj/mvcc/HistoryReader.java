package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Reads stored changes in revision order, a slice of rows per backend view.
final class HistoryReader {
  private static final int SLICE_ROWS = 1000;

  /// Ends a slice of large values early, so that little is held at once.
  private static final int SLICE_BYTES = 4 << 20;

  private final Backend backend;
  private final KvStore.HistoryVisitor visitor;

  HistoryReader(Backend backend, KvStore.HistoryVisitor visitor) {
    this.backend = backend;
    this.visitor = visitor;
  }

  void run(long fromMain, long toMain) {
    if (fromMain > toMain) {
      return;
    }
    byte[] from = RevisionKey.encode(Math.max(0, fromMain), 0, false);
    byte[] to = RevisionKey.encode(toMain + 1, 0, false);
    while (true) {
      List<Event> slice = new ArrayList<>();
      byte[] next = read(from, to, slice);
      for (Event event : slice) {
        if (!visitor.visit(event)) {
          return;
        }
      }
      if (next.length == 0) {
        return;
      }
      from = next;
    }
  }

  /// @return where the next slice begins; empty at the end
  private byte[] read(byte[] from, byte[] to, List<Event> into) {
    byte[][] next = {new byte[0]};
    int[] bytes = new int[1];
    try (ReadView view = backend.read()) {
      view.scan(
          Bucket.KEY,
          from,
          to,
          (row, value) -> {
            into.add(event(row, value));
            bytes[0] += value.length;
            if (into.size() < SLICE_ROWS && bytes[0] < SLICE_BYTES) {
              return true;
            }
            next[0] = Arrays.copyOf(row, row.length + 1);
            return false;
          });
    }
    return next[0];
  }

  private static Event event(byte[] row, byte[] value) {
    WireKeyValue kv = WireKeyValue.parse(value);
    ByteString key = kv.key();
    return new Event(
        key, RevisionKey.decode(row), RevisionKey.isTombstone(row), kv.version() == 1, value);
  }
}
