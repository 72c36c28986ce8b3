package dev.etcdj.mvcc.compaction;

import dev.etcdj.mvcc.KvStore.HashResult;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.hash.HashLog;
import dev.etcdj.mvcc.index.IndexView;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Removes superseded rows behind the compacted revision, one compaction at a time, a slice of
/// rows per step with a pause in between.
///
/// At most one compaction waits behind the running one: a later one is merged into it, because
/// what the later leaves is all that can be told afterwards (only a compaction whose predecessor
/// had finished leaves a hash, KV-114). So a client that compacts in a loop queues nothing.
public final class Compactor {
  private final Backend backend;
  private final Supplier<IndexView> index;
  private final HashLog hashes;
  private final int batchLimit;
  private final long sleepNanos;
  private final LongSupplier nanoClock;
  private final Runnable wake;

  private final AtomicReference<@Nullable Job> waiting = new AtomicReference<>();

  /// Newest revision whose compaction is done, -1 for none. Written by the agent; read by the
  /// apply loop, which prunes the index up to it.
  private volatile long finished;

  /// Newest revision scheduled. Written by the apply loop, read by the agent, which repeats it
  /// beside every removal: rows must not be gone from a disk that lacks the mark that explains
  /// their absence. What the mark rests on, all writes before the compaction, was published before
  /// it was scheduled, so a crash cannot leave the mark without them.
  private volatile long scheduled = -1;

  /// Done when all that was scheduled so far is. Apply loop writes, any thread reads.
  private volatile CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  private @Nullable CompactionRun running;

  /// When the next slice may run. Written by the agent, read by its runner.
  private volatile long dueNanos;

  /// @param previous compacted revision before this one
  /// @param hashed whether the predecessor had finished, so that this one's hash means something
  record Job(long revision, long previous, boolean hashed, CompletableFuture<Void> done) {}

  /// @param index the newest published index
  /// @param finished revision of the newest finished compaction, -1 for none
  public Compactor(
      Backend backend,
      Supplier<IndexView> index,
      HashLog hashes,
      int batchLimit,
      long sleepNanos,
      LongSupplier nanoClock,
      Runnable wake,
      long finished) {
    this.backend = backend;
    this.index = index;
    this.hashes = hashes;
    this.batchLimit = batchLimit;
    this.sleepNanos = sleepNanos;
    this.nanoClock = nanoClock;
    this.wake = wake;
    this.finished = finished;
    this.dueNanos = nanoClock.getAsLong();
  }

  /// Queues the compaction at `revision`. Apply loop only.
  ///
  /// @param previous compacted revision before
  /// @return completed when the work is done and durable
  public CompletableFuture<Void> schedule(long revision, long previous) {
    Job job = new Job(revision, previous, previous == finished, new CompletableFuture<>());
    scheduled = revision;
    last = job.done;
    waiting.accumulateAndGet(job, Compactor::merge);
    wake.run();
    return job.done;
  }

  /// Goes on with a compaction that a crash interrupted. Before the agent runs.
  public void resume(long revision) {
    scheduled = revision;
    last = new CompletableFuture<>();
    waiting.set(new Job(revision, finished, false, last));
    wake.run();
  }

  private static @Nullable Job merge(@Nullable Job earlier, @Nullable Job later) {
    if (earlier == null || later == null) {
      return later;
    }
    later.done.whenComplete(
        (nothing, failure) -> {
          if (failure == null) {
            earlier.done.complete(null);
          } else {
            earlier.done.completeExceptionally(failure);
          }
        });
    return new Job(later.revision, later.previous, false, later.done);
  }

  /// Newest revision whose compaction is done, -1 for none.
  public long finished() {
    return finished;
  }

  /// Completes when everything scheduled so far is done and durable.
  public CompletableFuture<Void> idle() {
    return last;
  }

  /// One slice, when due. The agent's thread only.
  public boolean doWork() {
    CompactionRun run = running;
    if (run == null) {
      Job next = waiting.getAndSet(null);
      if (next == null) {
        return false;
      }
      run = new CompactionRun(backend, next);
      running = run;
    }
    if (nanoClock.getAsLong() - dueNanos < 0 || !backend.hasRoom()) {
      return false;
    }
    boolean more = run.slice(index.get(), batchLimit, scheduled);
    dueNanos = nanoClock.getAsLong() + sleepNanos;
    if (!more) {
      finish(run);
    }
    return true;
  }

  /// Nanoseconds until [#doWork] has something to do, [Long#MAX_VALUE] for nothing at all. The
  /// agent's thread only.
  public long nanosUntilDue() {
    if (running == null && waiting.get() == null) {
      return Long.MAX_VALUE;
    }
    return Math.max(0, dueNanos - nanoClock.getAsLong());
  }

  private void finish(CompactionRun run) {
    Job job = run.job();
    WriteUnit unit = backend.begin();
    CompactionMarks.putFinished(unit, job.revision);
    unit.publish();
    if (job.hashed) {
      hashes.add(new HashResult(run.hash(), job.previous, job.revision, job.revision));
    }
    finished = job.revision;
    running = null;
    backend
        .commit()
        .whenComplete(
            (nothing, failure) -> {
              if (failure == null) {
                job.done.complete(null);
              } else {
                job.done.completeExceptionally(failure);
              }
            });
  }
}
