package dev.etcdj.mvcc.hash;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.WireKeyValue;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.index.Hit;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.index.KeyRange;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// HashKV at a revision R of a store compacted at C (KV-112). Rows up to C count only if they are
/// what R shows of their key, so that members hash alike however far their physical compaction has
/// come.
///
/// A key that was deleted and put again in revision R itself (KV-77) counts as not shown: so it is
/// in the reference, and hashes must agree with its.
///
/// If R shows no key at all, the reference counts every row it still has. What those are is what
/// the compaction at C keeps, so that is counted here, finished or not.
public final class StoreHash {
  /// Rows read per backend view: none is held for the length of the whole scan.
  private static final int SLICE = 10_000;

  private final Backend backend;
  private final IndexView index;
  private final long revision;
  private final long compacted;
  private final RowHash hash = new RowHash();
  private final Hit hit = new Hit();
  private final long shownAt;
  private final Set<ByteString> deletedAtRevision = new HashSet<>();
  private byte[] from = RevisionKey.encode(0, 0, false);
  private int rows;

  public StoreHash(Backend backend, IndexView index, long revision, long compacted) {
    this.backend = backend;
    this.index = index;
    this.revision = revision;
    this.compacted = compacted;
    collectDeleted();
    this.shownAt = showsAnyKey() ? revision : compacted;
  }

  private void collectDeleted() {
    byte[] first = RevisionKey.encode(Math.max(0, revision), 0, false);
    byte[] end = RevisionKey.encode(Math.max(0, revision + 1), 0, false);
    try (ReadView view = backend.read()) {
      view.scan(
          Bucket.KEY,
          first,
          end,
          (key, value) -> {
            if (RevisionKey.isTombstone(key)) {
              deletedAtRevision.add(ByteString.copyFrom(WireKeyValue.parse(value).keyBytes()));
            }
            return true;
          });
    }
  }

  /// Runs the scan.
  ///
  /// @param stillValid asked after each view is opened: whether the compacted revision is
  ///     unchanged, so that the view holds all rows that count
  /// @return whether it ran to the end
  public boolean run(BooleanSupplier stillValid) {
    byte[] to = RevisionKey.encode(Math.max(0, revision + 1), 0, false);
    do {
      rows = 0;
      try (ReadView view = backend.read()) {
        if (!stillValid.getAsBoolean()) {
          return false;
        }
        view.scan(Bucket.KEY, from, to, this::visit);
      }
    } while (rows == SLICE);
    return true;
  }

  public int value() {
    return hash.value();
  }

  private boolean visit(byte[] key, byte[] value) {
    if (counts(key, value)) {
      hash.add(key, value);
    }
    if (++rows == SLICE) {
      from = Arrays.copyOf(key, key.length + 1);
      return false;
    }
    return true;
  }

  private boolean counts(byte[] key, byte[] value) {
    long main = RevisionKey.main(key);
    if (main > compacted) {
      return true;
    }
    if (RevisionKey.isTombstone(key)) {
      return false;
    }
    byte[] userKey = WireKeyValue.parse(value).keyBytes();
    return index.find(userKey, shownAt, hit)
        && (shownAt != revision || !isDeleted(userKey))
        && hit.modMain() == main
        && hit.modSub() == RevisionKey.sub(key);
  }

  private boolean isDeleted(byte[] userKey) {
    return !deletedAtRevision.isEmpty() && deletedAtRevision.contains(ByteString.copyFrom(userKey));
  }

  private boolean showsAnyKey() {
    boolean[] any = new boolean[1];
    index.scan(
        KeyRange.all(),
        revision,
        found -> {
          any[0] = !isDeleted(found.key());
          return !any[0];
        });
    return any[0];
  }
}
