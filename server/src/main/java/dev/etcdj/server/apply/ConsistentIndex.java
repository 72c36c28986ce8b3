package dev.etcdj.server.apply;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import java.nio.charset.StandardCharsets;

/// How far the backend is: index and term of the last entry whose effects it holds, in bucket
/// `meta`, each 8 bytes big-endian (RAFT-121).
public final class ConsistentIndex {
  // Given to write units, which keep keys without copying: never written to.
  private static final byte[] INDEX = "consistent_index".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TERM = "term".getBytes(StandardCharsets.US_ASCII);

  private ConsistentIndex() {}

  /// The point `backend` is at; zeros for a fresh one.
  public static AppliedPoint read(Backend backend) {
    try (ReadView view = backend.read()) {
      return new AppliedPoint(
          number(view.get(Bucket.META, INDEX)), number(view.get(Bucket.META, TERM)));
    }
  }

  /// Adds the point to the unit that holds the entry's effects.
  public static void write(WriteUnit unit, long index, long term) {
    unit.put(Bucket.META, INDEX, bytes(index));
    unit.put(Bucket.META, TERM, bytes(term));
  }

  private static long number(byte @org.jspecify.annotations.Nullable [] bytes) {
    long number = 0;
    for (int i = 0; bytes != null && i < bytes.length; i++) {
      number = number << 8 | (bytes[i] & 0xff);
    }
    return number;
  }

  private static byte[] bytes(long number) {
    byte[] bytes = new byte[8];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (number >>> (56 - 8 * i));
    }
    return bytes;
  }
}
