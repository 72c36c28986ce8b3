package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.compaction.CompactionMarks;
import dev.etcdj.mvcc.index.KeyIndex;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/// What one pass over the stored rows yields when the store is opened.
///
/// @param revision the current revision (KV-107)
record StoredState(KeyIndex index, long revision, CompactionMarks marks) {

  /// Reads all rows and attaches the live keys to their leases, in the order of the puts.
  ///
  /// @throws StorageException if a row cannot be read
  static StoredState load(Backend backend, LeaseBook leases) {
    Loader loader = new Loader();
    CompactionMarks marks;
    try (ReadView view = backend.read()) {
      marks = CompactionMarks.read(view);
      view.scan(Bucket.KEY, new byte[0], null, loader);
    }
    loader.index.trim();
    loader.leaseOf.forEach(
        (key, lease) -> {
          // A key may name a lease that is gone (LEASE-24).
          if (leases.exists(lease)) {
            leases.attach(key, lease);
          }
        });
    long revision = Math.max(Math.max(1, loader.lastMain), marks.compacted());
    return new StoredState(loader.index, revision, marks);
  }

  private static final class Loader implements ReadView.Visitor {
    private final KeyIndex index = new KeyIndex();
    private final Map<ByteString, Long> leaseOf = new LinkedHashMap<>();
    private long lastMain;

    @Override
    public boolean visit(byte[] row, byte[] value) {
      if (row.length != RevisionKey.BYTES && row.length != RevisionKey.BYTES + 1) {
        throw unreadable(row, "key of " + row.length + " bytes, expected 17 or 18", null);
      }
      WireKeyValue kv;
      try {
        kv = WireKeyValue.parse(value);
      } catch (IllegalArgumentException e) {
        throw unreadable(row, "value is no KeyValue", e);
      }
      boolean tombstone = RevisionKey.isTombstone(row);
      if (!tombstone && (kv.version() <= 0 || kv.modRevision() != RevisionKey.main(row))) {
        throw unreadable(row, "value is of revision " + kv.modRevision(), null);
      }
      lastMain = RevisionKey.main(row);
      byte[] key = kv.keyBytes();
      index.load(
          key,
          lastMain,
          (int) RevisionKey.sub(row),
          tombstone ? 0 : kv.createRevision(),
          tombstone ? 0 : kv.version());
      noteLease(key, tombstone ? 0 : kv.lease());
      return true;
    }

    private void noteLease(byte[] key, long lease) {
      if (lease == 0 && leaseOf.isEmpty()) {
        return;
      }
      ByteString shared = UnsafeByteOperations.unsafeWrap(key);
      leaseOf.remove(shared);
      if (lease != 0) {
        leaseOf.put(shared, lease);
      }
    }

    private static StorageException unreadable(
        byte[] row, String what, @org.jspecify.annotations.Nullable Throwable cause) {
      return new StorageException(
          Path.of("bucket key"), -1, "row " + HexFormat.of().formatHex(row) + ": " + what, cause);
    }
  }
}
