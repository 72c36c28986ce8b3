package dev.etcdj.mvcc.backend;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The batch that fills. Guarded by the lock of [BatchedBackend]; readers see it through the
/// [Overlay] taken after each unit.
final class Batch {
  private static final int FIRST_PAIRS = 128;

  private byte[][] log = new byte[2 * FIRST_PAIRS][];
  private int logSize;
  private final @Nullable Tree[] edits = new @Nullable Tree[Bucket.values().length];

  /// Greatest key of bucket `key` in this batch. Only what lies above it may be appended to the
  /// log, so that an edit never hides a later append.
  private byte @Nullable [] greatest;

  /// Operations and bytes of keys and values so far.
  private int operations;

  private long bytes;

  int operations() {
    return operations;
  }

  long bytes() {
    return bytes;
  }

  void apply(Bucket bucket, byte[] key, byte @Nullable [] value) {
    operations++;
    bytes += key.length + (value == null ? 0 : value.length);
    if (bucket == Bucket.KEY && (greatest == null || Arrays.compareUnsigned(key, greatest) > 0)) {
      greatest = key;
      if (value != null) {
        append(key, value);
        return;
      }
    }
    int at = bucket.ordinal();
    edits[at] = Tree.put(edits[at], key, value);
  }

  private void append(byte[] key, byte[] value) {
    int at = 2 * logSize;
    if (at == log.length) {
      log = Arrays.copyOf(log, 2 * log.length);
    }
    log[at] = key;
    log[at + 1] = value;
    logSize++;
  }

  /// The batch as of now, for readers.
  Overlay view(long position) {
    return new Overlay(log, logSize, edits.clone(), operations - logSize, position, bytes);
  }
}
