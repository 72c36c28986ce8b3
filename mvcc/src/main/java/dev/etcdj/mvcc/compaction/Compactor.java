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

  /// Done when all that was released so far is. Apply loop writes, any thread reads.
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

  /// Releases the compaction at `revision` to the agent. Apply loop only, after the unit that
  /// schedules it is published: rows must not go before the mark that explains their absence.
  ///
  /// @param previous compacted revision before
  /// @param done completed when the work is done and durable
  public void release(long revision, long previous, CompletableFuture<Void> done) {
    Job job = new Job(revision, previous, previous == finished, done);
    last = done;
    waiting.accumulateAndGet(job, Compactor::merge);
    wake.run();
  }

  /// Goes on with a compaction that a crash interrupted. Before the agent runs.
  public void resume(long revision) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    last = done;
    waiting.set(new Job(revision, finished, false, done));
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

  /// Completes when everything released so far is done and durable.
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
    boolean more = run.slice(index.get(), batchLimit);
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
