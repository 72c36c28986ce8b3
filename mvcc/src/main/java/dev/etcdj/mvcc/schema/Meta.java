package dev.etcdj.mvcc.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import org.jspecify.annotations.Nullable;

/// Bucket `meta`: how far the raft log has been applied. Two more of its rows, how far compaction
/// has come, are those of [dev.etcdj.mvcc.compaction.CompactionMarks].
///
/// | key | value |
/// |---|---|
/// | `consistent_index`, `term` | 8 bytes big-endian: the last applied entry, never 0 |
/// | `confState` | JSON of the raft configuration |
/// | `storageVersion` | `3.7.0` |
public final class Meta {
  private static final byte[] CONSISTENT_INDEX = "consistent_index".getBytes(US_ASCII);
  private static final byte[] TERM = "term".getBytes(US_ASCII);
  private static final byte[] CONF_STATE = "confState".getBytes(US_ASCII);
  private static final byte[] STORAGE_VERSION = "storageVersion".getBytes(US_ASCII);

  private Meta() {}

  /// Index of the last applied entry, 0 for none.
  public static long consistentIndex(ReadView view) {
    return number(view, CONSISTENT_INDEX);
  }

  /// Term of the last applied entry, 0 for none.
  public static long term(ReadView view) {
    return number(view, TERM);
  }

  /// Names the entry whose effects are in `unit`. Once per unit, index and term ≥ 1.
  public static void putApplied(WriteUnit unit, long index, long term) {
    putConsistentIndex(unit, index);
    unit.put(Bucket.META, TERM, Longs.bytes(term));
  }

  /// The same while the term is that of the entry before.
  public static void putConsistentIndex(WriteUnit unit, long index) {
    unit.put(Bucket.META, CONSISTENT_INDEX, Longs.bytes(index));
  }

  /// Says that nothing is applied: the state of a store whose contents are being replaced.
  public static void removeApplied(WriteUnit unit) {
    unit.delete(Bucket.META, CONSISTENT_INDEX);
    unit.delete(Bucket.META, TERM);
  }

  /// JSON, or null.
  public static byte @Nullable [] confState(ReadView view) {
    return view.get(Bucket.META, CONF_STATE);
  }

  /// Sets the raft configuration. `json` is given away.
  public static void putConfState(WriteUnit unit, byte[] json) {
    unit.put(Bucket.META, CONF_STATE, json);
  }

  /// Such as `3.7.0`, or null.
  public static @Nullable String storageVersion(ReadView view) {
    byte[] text = view.get(Bucket.META, STORAGE_VERSION);
    return text == null ? null : new String(text, US_ASCII);
  }

  /// Sets the version of the layout.
  public static void putStorageVersion(WriteUnit unit, String version) {
    unit.put(Bucket.META, STORAGE_VERSION, version.getBytes(US_ASCII));
  }

  private static long number(ReadView view, byte[] key) {
    byte[] value = view.get(Bucket.META, key);
    return value == null ? 0 : Longs.read(value, 0);
  }
}
