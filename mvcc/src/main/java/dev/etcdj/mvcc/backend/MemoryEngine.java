package dev.etcdj.mvcc.backend;

import dev.etcdj.mvcc.StorageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A disk that is not there: one immutable tree per bucket, replaced by each commit. Open to tests
/// that put something between the steps of a read.
class MemoryEngine implements Engine {
  private static final Path NOWHERE = Path.of("memory");
  private static final int PAGE_BYTES = 4096;

  /// What a pair costs beside its bytes, about what a B+tree takes.
  private static final int PAIR_BYTES = 16;

  private record Content(@Nullable Tree[] trees, Extent extent) {}

  /// Written by the committer; read by any reader.
  private volatile Content content;

  /// Set by the test; read by the committer.
  private volatile long capacityBytes = Long.MAX_VALUE;

  private volatile @Nullable StorageException fault;

  MemoryEngine() {
    content = new Content(new @Nullable Tree[Bucket.values().length], new Extent(0, 0, 0));
  }

  /// An engine with the same durable content and no faults.
  MemoryEngine copy() {
    MemoryEngine copy = new MemoryEngine();
    copy.content = content;
    return copy;
  }

  void capacityBytes(long bytes) {
    capacityBytes = bytes;
  }

  /// The next commit throws it and changes nothing.
  void fault(StorageException next) {
    fault = next;
  }

  @Override
  public Outcome commit(Overlay batch) {
    StorageException broken = fault;
    if (broken != null) {
      fault = null;
      throw broken;
    }
    Content before = content;
    @Nullable Tree[] trees = before.trees.clone();
    long used = before.extent.usedBytes();
    int key = Bucket.KEY.ordinal();
    for (int i = 0; i < batch.logSize(); i++) {
      used += set(trees, key, batch.logKey(i), batch.logValue(i));
    }
    for (Bucket bucket : Bucket.values()) {
      Tree.Walk walk = new Tree.Walk(batch.edits(bucket), new byte[0]);
      for (byte[] at = walk.key(); at != null; at = walk.key()) {
        used += set(trees, bucket.ordinal(), at, walk.value());
        walk.next();
      }
    }
    if (used > capacityBytes && used > before.extent.usedBytes()) {
      return new NoRoom(used + " bytes needed, " + capacityBytes + " there");
    }
    long pages = (used + PAGE_BYTES - 1) / PAGE_BYTES;
    Extent extent =
        new Extent(
            before.extent.id() + 1, Math.max(before.extent.fileBytes(), pages * PAGE_BYTES), used);
    content = new Content(trees, extent);
    return new Committed(extent);
  }

  /// Bytes used more, or less.
  private static long set(@Nullable Tree[] trees, int bucket, byte[] key, byte @Nullable [] value) {
    Tree old = Tree.find(trees[bucket], key);
    trees[bucket] =
        value == null ? Tree.remove(trees[bucket], key) : Tree.put(trees[bucket], key, value);
    return cost(key, value) - (old == null ? 0 : cost(key, old.value));
  }

  private static long cost(byte[] key, byte @Nullable [] value) {
    return value == null ? 0 : PAIR_BYTES + key.length + value.length;
  }

  @Override
  public @Nullable Disk read(long lowestId, long highestId) {
    Content now = content;
    long id = now.extent.id();
    return id < lowestId || id > highestId ? null : new MemoryDisk(now.trees);
  }

  @Override
  public Extent extent() {
    return content.extent;
  }

  @Override
  public long comfortableBytes() {
    return capacityBytes;
  }

  @Override
  public Path file() {
    return NOWHERE;
  }

  @Override
  public void close() {}

  private record MemoryDisk(@Nullable Tree[] trees) implements Disk {
    @Override
    public byte @Nullable [] get(Bucket bucket, byte[] key) {
      Tree found = Tree.find(trees[bucket.ordinal()], key);
      return found == null ? null : found.value;
    }

    @Override
    public boolean pin(Bucket bucket, byte[] key, PinnedValues into) {
      byte[] value = get(bucket, key);
      if (value != null) {
        into.add(value);
      }
      return value != null;
    }

    @Override
    public Source scan(Bucket bucket, byte[] from) {
      return new Tree.Walk(trees[bucket.ordinal()], from);
    }

    @Override
    public void release() {}
  }
}
