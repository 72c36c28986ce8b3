package dev.etcdj.simulation.disk;

import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.server.durable.SnapshotShelf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Leaders' snapshots on a disk that is not there. What was put is durable.
public final class MemoryShelf implements SnapshotShelf {
  private record Row(byte[] key, byte[] value) {}

  private final TreeMap<Long, Snapshot> snapshots = new TreeMap<>();

  /// All rows of a store.
  public static final class Snapshot {
    private final Map<Bucket, List<Row>> rows = new EnumMap<>(Bucket.class);

    /// Copies what `view` shows, then closes it.
    public static Snapshot of(ReadView view) {
      Snapshot snapshot = new Snapshot();
      try (view) {
        for (Bucket bucket : Bucket.values()) {
          List<Row> all = new ArrayList<>();
          view.scan(bucket, new byte[0], null, (key, value) -> all.add(new Row(key, value)));
          snapshot.rows.put(bucket, all);
        }
      }
      return snapshot;
    }
  }

  /// Makes a snapshot durable.
  public void put(long index, Snapshot snapshot) {
    snapshots.put(index, snapshot);
  }

  @Override
  public boolean has(long index) {
    return snapshots.containsKey(index);
  }

  @Override
  public Contents open(long index) {
    Snapshot snapshot = snapshots.get(index);
    if (snapshot == null) {
      throw new dev.etcdj.mvcc.StorageException(Path.of("shelf"), index, "no snapshot", null);
    }
    return new Contents() {
      @Override
      public Rows rows(Bucket bucket) {
        return new Walk(snapshot.rows.get(bucket));
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void removeUpTo(long index) {
    snapshots.headMap(index, true).clear();
  }

  private static final class Walk implements Rows {
    private final List<Row> rows;
    private int at = -1;

    Walk(List<Row> rows) {
      this.rows = rows;
    }

    @Override
    public boolean next() {
      return ++at < rows.size();
    }

    @Override
    public byte[] key() {
      return rows.get(at).key().clone();
    }

    @Override
    public byte[] value() {
      return rows.get(at).value().clone();
    }
  }
}
