package dev.etcdj.wal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Group commit: merges whatever appends are queued into one write and one fdatasync.
///
/// An agent: `submit` and `release` may be called from any thread, [#doWork] from the writer's
/// thread `wal-sync`. After a failure it accepts nothing and has told `onFailure` once.
///
/// Invariant: `done` is called in the order of submission, and for an append that must be synced
/// only after an fdatasync that began after its last byte was written.
public final class WalWriter implements AutoCloseable {
  /// A round stops taking appends once it holds this many bytes of entries, so that the first one
  /// does not wait for a write without bound.
  private static final int ROUND_BYTES = 4 << 20;

  private static final int CALM_ENTRIES = 4;

  private final Wal wal;
  private final ArrayBlockingQueue<WalAppend> queue;
  private final Runnable wake;
  private final FailureHandler onFailure;

  /// Highest index to release up to. Written by the raft loop, read by the writer's thread.
  private final AtomicLong releaseIndex = new AtomicLong();

  /// Set once, by the writer's thread or by closing; read by whoever submits.
  private final AtomicBoolean stopped = new AtomicBoolean();

  private final List<WalAppend> round = new ArrayList<>();
  private int lastRoundEntries;
  private long releasedIndex;

  /// @param capacity most appends queued at a time
  /// @param wake makes the writer's thread run `doWork`
  /// @param metrics told the length of every fdatasync
  public WalWriter(
      Wal wal, int capacity, Runnable wake, WalMetrics metrics, FailureHandler onFailure) {
    this.wal = wal;
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.wake = wake;
    this.onFailure = onFailure;
    wal.report(metrics);
  }

  /// Receives the one failure after which nothing can be promised any more.
  @FunctionalInterface
  public interface FailureHandler {
    void failed(Throwable cause);
  }

  /// Figures of the log. Called on the writer's thread.
  public interface WalMetrics {
    void fsynced(long nanos);

    void wrote(long bytes);
  }

  /// An append that promises nothing waits for the next one that does, for [#flush], or for the
  /// queue to be half full.
  ///
  /// @return false when the queue is full or the writer has stopped; nothing was taken then
  public boolean submit(WalAppend append) {
    if (stopped.get() || !queue.offer(append)) {
      return false;
    }
    if (promises(append) || queue.size() > queue.remainingCapacity()) {
      wake.run();
    }
    return true;
  }

  /// Has everything that is queued written.
  public void flush() {
    if (!queue.isEmpty()) {
      wake.run();
    }
  }

  private static boolean promises(WalAppend append) {
    return append.promise() != WalAppend.Promise.NONE || append.snapshot() != null;
  }

  private static boolean needsSync(WalAppend append) {
    return append.promise() == WalAppend.Promise.DURABLE || append.snapshot() != null;
  }

  /// Asks for a release of segments (see [Wal#releaseTo]); of several the highest index counts.
  /// What is submitted before the release is written before it.
  public void release(long index) {
    releaseIndex.accumulateAndGet(index, Math::max);
    wake.run();
  }

  /// Takes what is queued, writes, syncs once if any of it must be, tells everyone.
  ///
  /// @return whether there was anything to do
  public boolean doWork() {
    if (stopped.get()) {
      return false;
    }
    try {
      long release = releaseIndex.get();
      boolean any = writeRound();
      if (release > releasedIndex && queue.isEmpty()) {
        wal.releaseTo(release);
        releasedIndex = release;
        return true;
      }
      return any;
    } catch (RuntimeException | Error failure) {
      stopped.set(true);
      wal.giveUp(failure);
      queue.clear();
      round.clear();
      onFailure.failed(failure);
      return true;
    }
  }

  private boolean writeRound() {
    boolean mustSync = false;
    long bytes = 0;
    int entries = 0;
    WalAppend next;
    while (bytes < ROUND_BYTES && (next = queue.poll()) != null) {
      wal.append(next.snapshot(), next.entries(), next.hardState());
      round.add(next);
      mustSync |= needsSync(next);
      bytes += bytesOf(next);
      entries += next.entries().size();
    }
    if (round.isEmpty()) {
      return false;
    }
    if (mustSync) {
      wal.makeDurable();
    }
    for (WalAppend written : round) {
      written.done().run();
    }
    round.clear();
    lastRoundEntries = entries;
    wal.cutWhenDue();
    return true;
  }

  /// Whether the last round was of a few entries and nothing is queued. Writer's thread.
  public boolean isCalm() {
    return lastRoundEntries <= CALM_ENTRIES && queue.isEmpty();
  }

  private static long bytesOf(WalAppend append) {
    long bytes = 64;
    for (int at = 0; at < append.entries().size(); at++) {
      bytes += append.entries().get(at).size();
    }
    return bytes;
  }

  /// Writes what is queued, then closes the log. Only when no thread runs [#doWork] any more.
  @Override
  public void close() {
    while (doWork()) {
      // Each call writes one round.
    }
    stopped.set(true);
    wal.close();
  }
}
