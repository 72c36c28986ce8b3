package dev.etcdj.server.durable;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.Meta;
import dev.etcdj.mvcc.schema.NamedRows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Replaces everything in a store by the contents of a snapshot.
///
/// It takes many commits, so its order makes it safe to be cut off anywhere: first the consistent
/// index goes, last it comes back. A store without one is older than any logged snapshot, and the
/// replacement is run again at the next start.
final class StoreReplacement {
  private static final int UNIT_OPERATIONS = 1_000;
  private static final int UNIT_BYTES = 4 << 20;

  private final Backend backend;
  private final SnapshotShelf.Contents source;
  private final Runnable driveBackend;
  private WriteUnit unit;
  private int bytes;

  /// @param driveBackend has the backend commit what is due, where no thread does that
  StoreReplacement(Backend backend, SnapshotShelf.Contents source, Runnable driveBackend) {
    this.backend = backend;
    this.source = source;
    this.driveBackend = driveBackend;
    this.unit = backend.begin();
  }

  /// Returns when everything is durable.
  void run() {
    Meta.removeApplied(unit);
    commit();
    for (Bucket bucket : Bucket.values()) {
      clear(bucket);
    }
    commit();
    for (Bucket bucket : Bucket.values()) {
      if (bucket != Bucket.META) {
        copy(bucket);
      }
    }
    commit();
    // In one unit, so that the consistent index comes last and with all that belongs to it.
    SnapshotShelf.Rows meta = source.rows(Bucket.META);
    while (meta.next()) {
      unit.put(Bucket.META, meta.key(), meta.value());
    }
    commit();
  }

  private void clear(Bucket bucket) {
    List<byte[]> keys = new ArrayList<>();
    do {
      keys.clear();
      try (ReadView view = backend.read()) {
        view.scan(
            bucket,
            new byte[0],
            null,
            (key, _) -> {
              keys.add(key);
              return keys.size() < UNIT_OPERATIONS;
            });
      }
      keys.forEach(key -> unit.delete(bucket, key));
      publish();
    } while (keys.size() == UNIT_OPERATIONS);
  }

  private void copy(Bucket bucket) {
    boolean named = bucket == Bucket.AUTH_USERS || bucket == Bucket.AUTH_ROLES;
    SnapshotShelf.Rows rows = source.rows(bucket);
    while (rows.next()) {
      byte[] key = rows.key();
      byte[] value = rows.value();
      if (named) {
        NamedRows.put(unit, bucket, ByteString.copyFrom(key), value);
      } else {
        unit.put(bucket, key, value);
      }
      bytes += key.length + value.length;
      if (unit.size() >= UNIT_OPERATIONS || bytes >= UNIT_BYTES) {
        publish();
      }
    }
  }

  private void publish() {
    if (unit.size() > 0) {
      unit.publish();
      driveBackend.run();
      unit = backend.begin();
      bytes = 0;
    }
  }

  private void commit() {
    publish();
    CompletableFuture<Void> durable = backend.commit();
    driveBackend.run();
    durable.join();
  }
}
