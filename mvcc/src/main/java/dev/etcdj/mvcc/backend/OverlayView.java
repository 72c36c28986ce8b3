package dev.etcdj.mvcc.backend;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The filling batch over the frozen one over the disk.
final class OverlayView implements ReadView {
  private final Overlay current;
  private final @Nullable Overlay frozen;
  private final Engine.Disk disk;
  private boolean closed;

  OverlayView(Overlay current, @Nullable Overlay frozen, Engine.Disk disk) {
    this.current = current;
    this.frozen = frozen;
    this.disk = disk;
  }

  @Override
  public byte @Nullable [] get(Bucket bucket, byte[] key) {
    byte[] value = lookup(bucket, key);
    if (value != null) {
      return Overlay.isDeleted(value) ? null : value;
    }
    checkOpen();
    return disk.get(bucket, key);
  }

  @Override
  public boolean pin(Bucket bucket, byte[] key, PinnedValues into) {
    checkOpen();
    byte[] value = lookup(bucket, key);
    if (value == null) {
      return disk.pin(bucket, key, into);
    }
    if (Overlay.isDeleted(value)) {
      return false;
    }
    into.add(value);
    return true;
  }

  /// What the batches say of `key`, as [Overlay#lookup] does.
  private byte @Nullable [] lookup(Bucket bucket, byte[] key) {
    byte[] value = current.lookup(bucket, key);
    return value == null && frozen != null ? frozen.lookup(bucket, key) : value;
  }

  @Override
  public void scan(Bucket bucket, byte[] from, byte @Nullable [] to, Visitor visitor) {
    checkOpen();
    Source[] sources = new Source[5];
    int count = current.sources(bucket, from, sources, 0);
    if (frozen != null) {
      count = frozen.sources(bucket, from, sources, count);
    }
    Source below = disk.scan(bucket, from);
    try {
      if (count == 0) {
        scanOne(below, to, visitor);
      } else {
        sources[count++] = below;
        scanMerged(sources, count, to, visitor);
      }
    } finally {
      below.close();
    }
  }

  private static void scanOne(Source source, byte @Nullable [] to, Visitor visitor) {
    for (byte[] key = source.key(); key != null; key = source.key()) {
      if (isBeyond(key, to)) {
        return;
      }
      byte[] value = source.value();
      if (value != null && !visitor.visit(key, value)) {
        return;
      }
      source.next();
    }
  }

  /// Earlier sources win where several hold a key.
  private static void scanMerged(
      Source[] sources, int count, byte @Nullable [] to, Visitor visitor) {
    while (true) {
      byte[] least = null;
      int winner = 0;
      for (int i = 0; i < count; i++) {
        byte[] key = sources[i].key();
        if (key != null && (least == null || Arrays.compareUnsigned(key, least) < 0)) {
          least = key;
          winner = i;
        }
      }
      if (least == null || isBeyond(least, to)) {
        return;
      }
      byte[] value = sources[winner].value();
      if (value != null && !visitor.visit(least, value)) {
        return;
      }
      for (int i = winner; i < count; i++) {
        byte[] key = sources[i].key();
        if (key != null && Arrays.equals(key, least)) {
          sources[i].next();
        }
      }
    }
  }

  private static boolean isBeyond(byte[] key, byte @Nullable [] to) {
    return to != null && Arrays.compareUnsigned(key, to) >= 0;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("view is closed");
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      disk.release();
    }
  }
}
