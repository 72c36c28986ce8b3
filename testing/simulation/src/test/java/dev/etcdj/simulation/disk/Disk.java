package dev.etcdj.simulation.disk;

import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.wal.io.MemoryFileStore;
import java.util.random.RandomGenerator;

/// Everything a member keeps: its log files, its store, its shelf of snapshots.
public final class Disk {
  private final MemoryFileStore files = new MemoryFileStore();
  private final MemoryShelf shelf = new MemoryShelf();
  private final RandomGenerator random;
  private MemoryBackend backend;

  public Disk(RandomGenerator random) {
    this.random = random;
  }

  /// Opens the store anew: what it had committed is there, and maybe what was on its way.
  public MemoryBackend open(BackendOptions options) {
    backend = backend == null ? new MemoryBackend(options) : backend.crash(options, random);
    return backend;
  }

  /// Power is lost: of what was not synced any part may be gone, the last write may be torn.
  public void losePower() {
    files.crash(
        random.nextInt(3) == 0
            ? new MemoryFileStore.Survival.Nothing()
            : new MemoryFileStore.Survival.Sectors(random));
  }

  /// The process ends, the machine goes on: what was written is there.
  public void loseProcess() {
    files.crash(new MemoryFileStore.Survival.Everything());
  }

  /// Everything works again.
  public void heal() {
    files.leaveFree(Long.MAX_VALUE);
    files.failSync(-1);
    if (backend != null) {
      backend.capacityBytes(Long.MAX_VALUE);
    }
  }

  public MemoryFileStore files() {
    return files;
  }

  public MemoryShelf shelf() {
    return shelf;
  }

  public MemoryBackend backend() {
    return backend;
  }
}
