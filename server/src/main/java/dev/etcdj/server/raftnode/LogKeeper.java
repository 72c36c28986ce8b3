package dev.etcdj.server.raftnode;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.MemoryLog;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Decides when the log may be cut. Raft loop only.
///
/// Every `snapshotCount` applied entries it has the store made durable (a [Checkpoint]), writes a
/// snapshot mark to the log on disk and lets go of the segments before it (RAFT-151). In memory,
/// entries stay for followers that are a little behind (RAFT-150), and all of them while a
/// snapshot is on its way, so that its receiver finds the entries after it (RAFT-153).
///
/// Invariant: no mark and no release lies past the index that the store has durably committed.
public final class LogKeeper {
  /// After a snapshot was sent the log stays this long (LIM-31).
  private static final long KEEP_AFTER_SNAPSHOT_NANOS = 30_000_000_000L;

  /// A snapshot that takes longer than this holds the log in memory no more: its receiver may need
  /// another one, but the log stays bounded.
  private static final long SEND_LIMIT_NANOS = 600_000_000_000L;

  private final MemoryLog log;
  private final Checkpointer checkpointer;
  private final LongConsumer releaseSegments;
  private final long snapshotCount;
  private final long catchupEntries;
  private final long memoryCutInterval;

  /// Receiver of a snapshot to the time until which the log is kept for it.
  private final Map<Long, Long> keptUntilNanos = new HashMap<>();

  private @Nullable Consumer<Input> answers;
  private ConfState confState;
  private long lastCheckpoint;
  private long lastMemoryCut;
  private boolean checkpointing;

  /// @param releaseSegments lets go of log segments that hold only entries up to an index
  /// @param memoryCutInterval applied entries between two cuts of the log in memory (LIM-30)
  /// @param lastCheckpoint index of the newest snapshot mark in the log
  public LogKeeper(
      MemoryLog log,
      Checkpointer checkpointer,
      LongConsumer releaseSegments,
      long snapshotCount,
      long catchupEntries,
      long memoryCutInterval,
      long lastCheckpoint) {
    this.log = log;
    this.checkpointer = checkpointer;
    this.releaseSegments = releaseSegments;
    this.snapshotCount = snapshotCount;
    this.catchupEntries = catchupEntries;
    this.memoryCutInterval = memoryCutInterval;
    this.lastCheckpoint = lastCheckpoint;
    this.confState = log.initialState().confState();
    this.lastMemoryCut = log.firstIndex() - 1;
  }

  void connect(Consumer<Input> answers) {
    this.answers = answers;
  }

  /// A configuration change came into force.
  void configurationChanged(ConfState now) {
    confState = now;
  }

  /// Everything up to `index` is applied.
  void applied(long index, long nowNanos) {
    if (index - lastCheckpoint > snapshotCount && !checkpointing) {
      checkpointing = true;
      checkpointer
          .checkpoint()
          .whenComplete(
              (checkpoint, failure) ->
                  answer(
                      failure == null
                          ? new Input.Checkpointed(checkpoint)
                          : new Input.CheckpointFailed()));
    }
    cutMemory(index, nowNanos);
  }

  void checkpointed(Checkpoint checkpoint, ReadyPump pump) {
    checkpointing = false;
    if (checkpoint.index() <= lastCheckpoint) {
      return;
    }
    lastCheckpoint = checkpoint.index();
    pump.mark(checkpoint, () -> releaseSegments.accept(checkpoint.index()));
  }

  /// Nothing was cut; the next applied entry asks again.
  void checkpointFailed() {
    checkpointing = false;
  }

  /// A snapshot is on its way to a follower.
  void snapshotLeaves(long to, long nowNanos) {
    keptUntilNanos.put(to, nowNanos + SEND_LIMIT_NANOS);
  }

  /// The sending of a snapshot has ended.
  void snapshotSent(long to, boolean failed, long nowNanos) {
    if (failed) {
      keptUntilNanos.remove(to);
    } else {
      keptUntilNanos.put(to, nowNanos + KEEP_AFTER_SNAPSHOT_NANOS);
    }
  }

  /// The log in memory is cut only up to the last mark on disk: what raft would send in its place
  /// is the store's contents, which are at least that new.
  private void cutMemory(long applied, long nowNanos) {
    keptUntilNanos.values().removeIf(end -> nowNanos - end >= 0);
    if (!keptUntilNanos.isEmpty()) {
      return;
    }
    if (applied - lastMemoryCut <= memoryCutInterval) {
      return;
    }
    lastMemoryCut = applied;
    long cut = applied - catchupEntries;
    if (cut >= log.firstIndex()) {
      log.createSnapshot(applied, confState, Bytes.EMPTY);
      log.compact(cut);
    }
  }

  private void answer(Input input) {
    Consumer<Input> to = answers;
    if (to == null) {
      throw new IllegalStateException("not connected");
    }
    to.accept(input);
  }
}
