package dev.etcdj.mvcc.watch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A position, a range and flags.
///
/// A watcher is *synced* (in the index; commits mark it) or on its way through the past (in its
/// stream's replay queue; commits do not know it), or ended by compaction. While `queued` it is in
/// its stream's hands; the marker then only moves `lastMatched`. The hand-over needs no lock:
///
/// - the marker stores `lastMatched`, then tries to set `queued`; success: it pushes the watcher;
/// - the stream clears `queued`, then looks at `lastMatched` again; new work: it takes it back.
///
/// One of the two sees the other. Both fields are volatile.
final class Watcher {
  private static final VarHandle QUEUED;

  static {
    try {
      QUEUED = MethodHandles.lookup().findVarHandle(Watcher.class, "queued", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final ClientStream stream;
  final long id;
  final KeyRange range;
  final long startRevision;
  final boolean prevKv;
  final boolean progressNotify;
  final boolean fragment;
  private final boolean noPut;
  private final boolean noDelete;

  // The stream's owner.

  /// Everything below was sent, or is none of this watcher's business. Grows only.
  long next;

  /// Whether this watcher is synced as far as the stream knows.
  boolean synced;

  boolean cancelled;

  /// The marker's `firstMatched` and `resumeFrom` may lie behind marks that the stream has not
  /// seen: `next` counts.
  boolean keepsPlace;

  /// Events were sent since the last progress tick (WATCH-72).
  boolean sentSinceTick;

  /// Neighbour in the one queue or stack the watcher is in.
  @Nullable Watcher link;

  /// Revisions sent since it became synced; also read by the marker, for which older is safe.
  volatile int delivered;

  // The marker, under the hub's lock.

  /// Place in its set of the index, -1 when not in the index.
  int slot = -1;

  /// Revisions matched since it became synced.
  int matched;

  /// First match of the current stay in the stream's hands. Written before the push that hands
  /// the watcher over, so the stream reads it without more ado.
  long firstMatched;

  /// Latest revision with a match; the stream reads it too.
  volatile long lastMatched;

  /// Taken out of the index by the marker: the stream must replay from `resumeFrom`, which is
  /// written before.
  volatile boolean detached;

  long resumeFrom;

  private volatile boolean queued;

  Watcher(ClientStream stream, long id, KeyRange range, WatchSpec spec) {
    this.stream = stream;
    this.id = id;
    this.range = range;
    this.startRevision = spec.startRevision();
    this.prevKv = spec.prevKv();
    this.progressNotify = spec.progressNotify();
    this.fragment = spec.fragment();
    this.noPut = spec.noPut();
    this.noDelete = spec.noDelete();
    this.queued = true;
  }

  /// Whether the event is one for this watcher, filters applied (WATCH-55).
  boolean wants(WatchEvent event) {
    return passes(event) && range.contains(event);
  }

  boolean passes(WatchEvent event) {
    return event.isDelete() ? !noDelete : !noPut;
  }

  boolean isQueued() {
    return queued;
  }

  /// Puts the watcher into the stream's hands; false if it is there already.
  boolean tryQueue() {
    return !queued && QUEUED.compareAndSet(this, false, true);
  }

  /// Takes the watcher out of the stream's hands.
  void release() {
    queued = false;
  }
}
