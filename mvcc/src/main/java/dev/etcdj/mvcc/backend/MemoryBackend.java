package dev.etcdj.mvcc.backend;

import dev.etcdj.mvcc.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The in-memory twin of [LmdbBackend] for simulations and unit tests: the same batches, the same
/// commits, the same losses, and faults on demand.
///
/// A publish that finds both batches full commits the frozen one itself, there being nobody to
/// wait for on one thread; while stalled or full that would never end, so it is refused as a
/// mistake of the caller, who should have asked [#hasRoom].
public final class MemoryBackend extends BatchedBackend {
  private final MemoryEngine engine;

  /// Set by the test; read by the thread of doWork.
  private volatile boolean stalled;

  /// An empty backend.
  public MemoryBackend(BackendOptions options) {
    this(new MemoryEngine(), options);
  }

  MemoryBackend(MemoryEngine engine, BackendOptions options) {
    super(engine, options);
    this.engine = engine;
  }

  /// While true, no commit makes progress: a disk that hangs.
  public void stall(boolean hang) {
    stalled = hang;
  }

  /// Commits that would need more than this find no room; [Long#MAX_VALUE] at first.
  public void capacityBytes(long bytes) {
    engine.capacityBytes(bytes);
  }

  /// Makes the next commit fail for good, as a failed sync does.
  public void failNextCommit() {
    engine.fault(new StorageException(Path.of("memory"), -1, "injected fault", null));
  }

  /// Ends this backend without committing; what had been durable is in the one returned. With
  /// `random`, so may be what was frozen, and all of it and what was published since: a commit in
  /// flight happened or did not.
  public MemoryBackend crash(BackendOptions options, @Nullable RandomGenerator random) {
    List<Overlay> batches = uncommitted();
    abandon();
    MemoryEngine left = engine.copy();
    int survivors = random == null ? 0 : random.nextInt(batches.size() + 1);
    for (Overlay batch : batches.subList(0, survivors)) {
      left.commit(batch);
    }
    return new MemoryBackend(left, options);
  }

  @Override
  public boolean doWork() {
    return !stalled && super.doWork();
  }

  @Override
  void awaitRoom(ReentrantLock held, Condition changed) {
    held.unlock();
    try {
      if (!doWork() && !hasRoom()) {
        throw new IllegalStateException("publish while two batches are full and no commit can end");
      }
    } finally {
      held.lock();
    }
  }
}
