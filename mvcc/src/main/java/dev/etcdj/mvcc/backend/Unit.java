package dev.etcdj.mvcc.backend;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Operations of one unit in order, as (bucket, key, value or null for a deletion).
final class Unit implements WriteUnit {
  /// LMDB's limit, which holds for the twin too.
  static final int MAX_KEY_BYTES = 511;

  private static final int FIELDS = 3;

  private final BatchedBackend backend;
  private @Nullable Object[] fields = new @Nullable Object[4 * FIELDS];
  private int size;
  private boolean published;

  Unit(BatchedBackend backend) {
    this.backend = backend;
  }

  @Override
  public void put(Bucket bucket, byte[] key, byte[] value) {
    add(bucket, key, value);
  }

  @Override
  public void delete(Bucket bucket, byte[] key) {
    add(bucket, key, null);
  }

  private void add(Bucket bucket, byte[] key, byte @Nullable [] value) {
    if (published) {
      throw new IllegalStateException("unit already published");
    }
    if (key.length == 0 || key.length > MAX_KEY_BYTES) {
      throw new IllegalArgumentException("key of " + key.length + " bytes in " + bucket);
    }
    int at = FIELDS * size;
    if (at == fields.length) {
      fields = Arrays.copyOf(fields, 2 * fields.length);
    }
    fields[at] = bucket;
    fields[at + 1] = key;
    fields[at + 2] = value;
    size++;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long publish() {
    if (published) {
      throw new IllegalStateException("unit already published");
    }
    published = true;
    return backend.publish(this);
  }

  @SuppressWarnings("NullAway") // bucket and key are never null below size
  void applyTo(Batch batch) {
    for (int at = 0; at < FIELDS * size; at += FIELDS) {
      batch.apply((Bucket) fields[at], (byte[]) fields[at + 1], (byte[]) fields[at + 2]);
    }
  }
}
