package dev.etcdj.server.apply;

import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.server.agent.Agent;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Takes committed entries off a bounded queue and applies them, a bounded number per turn. What
/// fails here fails the member, because carrying on would let members diverge: the first failure
/// is thrown to the runner and again at each later turn.
public final class ApplyLoop implements Agent {
  private static final int ENTRIES_PER_TURN = 256;

  private final Applier applier;
  private final SnapshotInstaller installer;
  private final Runnable wake;
  private final ArrayBlockingQueue<ApplyTask> tasks;
  private final Queue<Runnable> boundaryTasks = new ConcurrentLinkedQueue<>();
  private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();

  // Apply loop only: the task in hand, how far it is, and the conf change it waits for.
  private @Nullable ApplyTask current;
  private int next;
  private @Nullable CompletableFuture<ConfState> awaited;
  private @Nullable Throwable failure;

  /// @param queueCapacity tasks that may wait; at the limit [#offer] refuses
  /// @param wake tells the runner that there is work
  public ApplyLoop(Applier applier, SnapshotInstaller installer, int queueCapacity, Runnable wake) {
    this.applier = applier;
    this.installer = installer;
    this.wake = wake;
    this.tasks = new ArrayBlockingQueue<>(queueCapacity);
  }

  /// Queues a task behind the earlier ones. Raft loop only.
  ///
  /// @return false when the queue is full; nothing was taken, offer it again after a `done`
  public boolean offer(ApplyTask task) {
    boolean taken = tasks.offer(task);
    if (taken) {
      wake.run();
    }
    return taken;
  }

  /// Calls `listener` with the applied index after each advance, on the apply loop. It must be
  /// cheap and must not block.
  public void onApplied(LongConsumer listener) {
    listeners.add(listener);
  }

  /// Runs `task` on the apply loop between two entries: what it reads is the state as of exactly
  /// the point it is given. Any thread.
  public <T> CompletableFuture<T> atBoundary(Function<AppliedPoint, T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    boundaryTasks.add(
        () -> {
          try {
            result.complete(
                task.apply(new AppliedPoint(applier.appliedIndex(), applier.appliedTerm())));
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
    wake.run();
    return result;
  }

  @Override
  public String name() {
    return "apply-loop";
  }

  @Override
  public boolean doWork() {
    if (failure != null) {
      throw new InvariantViolation("apply has failed: " + failure);
    }
    try {
      return turn();
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  private boolean turn() {
    CompletableFuture<ConfState> waiting = awaited;
    if (waiting != null) {
      if (!waiting.isDone()) {
        return false;
      }
      awaited = null;
      applier.finish(waiting.join());
      next++;
      advanced();
      return true;
    }
    boolean worked = runBoundaryTasks();
    ApplyTask task = current != null ? current : tasks.poll();
    if (task == null) {
      return worked || applier.idleStep();
    }
    current = task;
    switch (task) {
      case ApplyTask.Entries entries -> applySome(entries);
      case ApplyTask.Install install -> install(install);
    }
    return true;
  }

  private boolean runBoundaryTasks() {
    boolean ran = false;
    for (Runnable task = boundaryTasks.poll(); task != null; task = boundaryTasks.poll()) {
      task.run();
      ran = true;
    }
    return ran;
  }

  private void applySome(ApplyTask.Entries task) {
    List<Entry> entries = task.entries();
    int end = Math.min(entries.size(), next + ENTRIES_PER_TURN);
    while (next < end) {
      CompletableFuture<ConfState> wait = applier.apply(entries.get(next));
      if (wait != null) {
        awaited = wait;
        wait.whenComplete((_, _) -> wake.run());
        break;
      }
      next++;
    }
    advanced();
    if (awaited == null && next == entries.size()) {
      finished(task.done());
    }
  }

  private void install(ApplyTask.Install task) {
    if (task.snapshot().index() <= applier.appliedIndex()) {
      throw new InvariantViolation(
          "snapshot at "
              + task.snapshot().index()
              + " is not ahead of applied index "
              + applier.appliedIndex());
    }
    installer.install(task.snapshot());
    applier.installed(task.snapshot());
    advanced();
    finished(task.done());
  }

  private void finished(Runnable done) {
    current = null;
    next = 0;
    done.run();
  }

  private void advanced() {
    long index = applier.appliedIndex();
    for (LongConsumer listener : listeners) {
      listener.accept(index);
    }
  }
}
