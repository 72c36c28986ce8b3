package dev.etcdj.mvcc.backend;

import dev.etcdj.mvcc.StorageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The batches above an [Engine]: what both backends share, so that they cannot differ in it.
///
/// Lock order: `committing`, then `lock`. Readers take neither.
abstract sealed class BatchedBackend implements Backend permits LmdbBackend, MemoryBackend {

  /// What readers see; replaced as a whole by each unit and each commit.
  ///
  /// @param current the filling batch, [Overlay#EMPTY] by identity when it holds no unit
  /// @param frozen the batch waiting for the disk, or on its way there
  /// @param extent the durable state below them; the engine may be one commit (`frozen`) ahead
  private record State(Overlay current, @Nullable Overlay frozen, Engine.Extent extent) {
    long pendingBytes() {
      return current.bytes + (frozen == null ? 0 : frozen.bytes);
    }
  }

  private record Waiter(long position, CompletableFuture<Void> durable) {}

  private final Engine engine;
  private final BackendOptions options;

  /// Held through a commit, so that [#close] cannot pull the engine from under it.
  private final ReentrantLock committing = new ReentrantLock();

  /// Guards everything below; held for the length of one unit at most.
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition room = lock.newCondition();
  private Batch batch = new Batch();
  private long batchOpenedNanos;
  private long published;
  private long forced;
  private long retryNanos;
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();

  /// Written under `lock`; read by any reader.
  private volatile State state;

  /// Written under `lock`; read by anyone who asks. Invariant: durable ≤ frozen ≤ published.
  private volatile long durable;

  /// Set under `lock` while the frozen batch does not fit on the disk; read by any thread.
  private volatile boolean noRoom;

  /// Set under `lock`, once; read by any thread. Nothing is published or committed after it.
  private volatile @Nullable StorageException failure;

  /// Set under `lock`, once; read by readers.
  private volatile boolean closed;

  BatchedBackend(Engine engine, BackendOptions options) {
    this.engine = engine;
    this.options = options;
    this.state = new State(Overlay.EMPTY, null, engine.extent());
  }

  @Override
  public final WriteUnit begin() {
    return new Unit(this);
  }

  @Override
  public final ReadView read() {
    while (true) {
      checkOpen();
      State seen = state;
      long id = seen.extent.id();
      Overlay frozen = seen.frozen;
      Engine.Disk disk = engine.read(id, frozen == null ? id : id + 1);
      if (disk != null) {
        return new OverlayView(seen.current, frozen, disk);
      }
    }
  }

  @Override
  public final ReadView snapshotView() {
    while (true) {
      checkOpen();
      Engine.Disk disk = engine.read(state.extent.id(), Long.MAX_VALUE);
      if (disk != null) {
        return new OverlayView(Overlay.EMPTY, null, disk);
      }
    }
  }

  /// See [WriteUnit#publish].
  ///
  /// @throws StorageException when the backend has failed or is closed
  final long publish(Unit unit) {
    boolean tellRunner;
    long position;
    lock.lock();
    try {
      while (!hasRoom()) {
        awaitRoom(lock, room);
      }
      checkUsable();
      boolean first = state.current == Overlay.EMPTY;
      if (first) {
        batchOpenedNanos = options.nanoClock().getAsLong();
      }
      unit.applyTo(batch);
      position = ++published;
      Overlay view = batch.view(position);
      boolean freeze = isBatchFull() && state.frozen == null;
      state =
          freeze
              ? new State(nextBatch(), view, state.extent)
              : new State(view, state.frozen, state.extent);
      tellRunner = first || freeze;
    } finally {
      lock.unlock();
    }
    if (tellRunner) {
      options.wake().run();
    }
    return position;
  }

  /// Waits, with `lock` held, until [#hasRoom] may have changed.
  void awaitRoom(ReentrantLock held, Condition changed) {
    changed.awaitUninterruptibly();
  }

  private Overlay nextBatch() {
    batch = new Batch();
    return Overlay.EMPTY;
  }

  private boolean isBatchFull() {
    return batch.operations() >= options.batchOperations() || batch.bytes() >= options.batchBytes();
  }

  @Override
  public final boolean hasRoom() {
    lock.lock();
    try {
      return !isBatchFull() || state.frozen == null || failure != null || closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final CompletableFuture<Void> commit() {
    lock.lock();
    try {
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      if (durable == published) {
        return CompletableFuture.completedFuture(null);
      }
      checkUsable();
      CompletableFuture<Void> done = new CompletableFuture<>();
      waiters.add(new Waiter(published, done));
      forced = published;
      return done;
    } finally {
      lock.unlock();
      options.wake().run();
    }
  }

  @Override
  public final long durablePosition() {
    return durable;
  }

  @Override
  public final boolean isFull() {
    State seen = state;
    return noRoom || seen.extent.usedBytes() + seen.pendingBytes() > engine.comfortableBytes();
  }

  @Override
  public final long sizeBytes() {
    State seen = state;
    return Math.max(seen.extent.fileBytes(), seen.extent.usedBytes() + seen.pendingBytes());
  }

  @Override
  public final long sizeInUseBytes() {
    return state.extent.usedBytes();
  }

  @Override
  public final long nanosUntilDue() {
    lock.lock();
    try {
      return nanosUntilDue(options.nanoClock().getAsLong());
    } finally {
      lock.unlock();
    }
  }

  private long nanosUntilDue(long now) {
    if (failure != null || closed) {
      return Long.MAX_VALUE;
    }
    if (state.frozen != null) {
      return noRoom ? Math.max(0, retryNanos - now) : 0;
    }
    if (state.current == Overlay.EMPTY) {
      return Long.MAX_VALUE;
    }
    return forced > durable
        ? 0
        : Math.max(0, batchOpenedNanos + options.batchIntervalNanos() - now);
  }

  @Override
  public boolean doWork() {
    committing.lock();
    try {
      Overlay due = freezeIfDue();
      return due != null && commit(due);
    } finally {
      committing.unlock();
    }
  }

  private @Nullable Overlay freezeIfDue() {
    lock.lock();
    try {
      return nanosUntilDue(options.nanoClock().getAsLong()) == 0 ? freeze() : null;
    } finally {
      lock.unlock();
    }
  }

  /// The frozen batch, freezing the current one if there is none.
  private @Nullable Overlay freeze() {
    if (state.frozen == null && state.current != Overlay.EMPTY) {
      Overlay frozen = state.current;
      state = new State(nextBatch(), frozen, state.extent);
    }
    return state.frozen;
  }

  /// Writes the frozen batch. Without `lock`, so that units are published meanwhile.
  private boolean commit(Overlay frozen) {
    try {
      switch (engine.commit(frozen)) {
        case Engine.Committed(Engine.Extent extent) -> committed(frozen, extent);
        case Engine.NoRoom ignored -> foundNoRoom();
      }
    } catch (StorageException broken) {
      fail(broken);
    }
    return true;
  }

  private void committed(Overlay frozen, Engine.Extent extent) {
    List<Waiter> reached = new ArrayList<>();
    lock.lock();
    try {
      noRoom = false;
      durable = frozen.position;
      state = new State(state.current, null, extent);
      if (isBatchFull()) {
        freeze();
      }
      for (Waiter first = waiters.peek();
          first != null && first.position <= durable;
          first = waiters.peek()) {
        reached.add(waiters.remove());
      }
      room.signalAll();
    } finally {
      lock.unlock();
    }
    options.onDurable().accept(frozen.position);
    reached.forEach(waiter -> waiter.durable.complete(null));
  }

  private void foundNoRoom() {
    lock.lock();
    try {
      noRoom = true;
      retryNanos = options.nanoClock().getAsLong() + options.retryNanos();
    } finally {
      lock.unlock();
    }
  }

  private void fail(StorageException broken) {
    List<Waiter> lost;
    lock.lock();
    try {
      failure = broken;
      lost = new ArrayList<>(waiters);
      waiters.clear();
      room.signalAll();
    } finally {
      lock.unlock();
    }
    lost.forEach(waiter -> waiter.durable.completeExceptionally(broken));
    options.onFailure().accept(broken);
  }

  private void checkUsable() {
    if (failure != null) {
      throw new StorageException(failure.file(), failure.offset(), "backend has failed", failure);
    }
    checkOpen();
  }

  private void checkOpen() {
    if (closed) {
      throw new StorageException(engine.file(), -1, "backend is closed", null);
    }
  }

  @Override
  public void close() {
    committing.lock();
    try {
      if (closed) {
        return;
      }
      commitRest();
      abandon();
    } finally {
      committing.unlock();
    }
  }

  private void commitRest() {
    while (failure == null) {
      Overlay rest;
      lock.lock();
      try {
        rest = freeze();
      } finally {
        lock.unlock();
      }
      if (rest == null) {
        return;
      }
      commit(rest);
      if (noRoom) {
        return;
      }
    }
  }

  /// Ends everything without committing.
  final void abandon() {
    List<Waiter> lost;
    lock.lock();
    try {
      closed = true;
      lost = new ArrayList<>(waiters);
      waiters.clear();
      room.signalAll();
    } finally {
      lock.unlock();
    }
    engine.close();
    StorageException reason =
        new StorageException(engine.file(), -1, "backend closed before the commit", null);
    lost.forEach(waiter -> waiter.durable.completeExceptionally(reason));
  }

  /// What a crash now could leave: batches in order, each later one less likely to be there.
  final List<Overlay> uncommitted() {
    State seen = state;
    List<Overlay> batches = new ArrayList<>();
    if (seen.frozen != null) {
      batches.add(seen.frozen);
    }
    if (seen.current != Overlay.EMPTY) {
      batches.add(seen.current);
    }
    return batches;
  }
}
