package dev.etcdj.mvcc.watch;

import dev.etcdj.proto.status.RpcError;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// One client's watchers. The owner (an event loop) takes message after message with [#poll];
/// other threads only push marked watchers, grant history, tick, and signal.
final class ClientStream implements WatchStream {
  /// Control answers and progress requests that may wait (WATCH-81).
  private static final int MAX_CONTROL = 16;

  static final String EMPTY_RANGE = "mvcc: watcher range is empty";
  static final String DUPLICATE_ID = "mvcc: duplicate watch ID provided on the WatchStream";

  private static final VarHandle PUSHED;
  private static final VarHandle ARMED;

  static {
    try {
      var lookup = MethodHandles.lookup();
      PUSHED = lookup.findVarHandle(ClientStream.class, "pushed", Watcher.class);
      ARMED = lookup.findVarHandle(ClientStream.class, "armed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// Order of opening; breaks ties between timers.
  final long number;

  private final WatchHub hub;
  private final Fanout fanout;
  private final Runnable wake;
  private final long progressIntervalNanos;
  private final long openedNanos;

  /// By id. Changed by the owner under the hub's lock, and by nobody once closed.
  final Map<Long, Watcher> watchers = new HashMap<>();

  // The owner.
  private final Queue<WatchMessage> control = new ArrayDeque<>();
  private final Fragments fragments;
  private final LiveFeed live;
  private final Replay replay;
  private final List<Watcher> notified = new ArrayList<>();
  private int nextNotified;
  private long nextAutoId;
  private boolean replayTurn;

  /// Current revisions at which progress was asked for, oldest first.
  private final Queue<Long> progressAsked = new ArrayDeque<>();

  // Other threads.

  /// Stack of watchers the marker hands over.
  private volatile @Nullable Watcher pushed;

  /// Whether the owner waits for a signal; whoever clears it wakes the owner.
  private volatile boolean armed;

  /// Set by watch-sync.
  private volatile boolean ticked;

  private volatile boolean closed;

  /// Guarded by [ProgressTimers].
  long dueNanos;

  /// Guarded by [CatchUp].
  long askedFrom;

  /// Guarded by [CatchUp].
  @Nullable Watcher askedPrevious;

  /// The marker's, under the hub's lock.
  private long touchedAt;

  ClientStream(WatchHub hub, long number, Runnable wake, long progressIntervalNanos) {
    this.hub = hub;
    this.fanout = hub.fanout;
    this.number = number;
    this.wake = wake;
    this.progressIntervalNanos = progressIntervalNanos;
    this.openedNanos = hub.nanoClock.getAsLong();
    this.fragments = new Fragments(hub.options.maxResponseBytes());
    this.replay = new Replay(this, hub);
    this.live = new LiveFeed(this, hub);
  }

  // Requests

  @Override
  public void create(WatchSpec spec) {
    KeyRange range = KeyRange.of(spec.key(), spec.rangeEnd());
    if (spec.startRevision() < 0) {
      refuse(RpcError.COMPACTED.text());
    } else if (range.isEmpty()) {
      refuse(EMPTY_RANGE);
    } else if (spec.watchId() != 0 && watchers.containsKey(spec.watchId())) {
      refuse(DUPLICATE_ID);
    } else {
      long id = spec.watchId() != 0 ? spec.watchId() : freeId();
      admit(new Watcher(this, id, range, spec));
    }
  }

  private long freeId() {
    while (watchers.containsKey(nextAutoId)) {
      nextAutoId++;
    }
    return nextAutoId++;
  }

  private void admit(Watcher watcher) {
    long revision = fanout.admit(watcher);
    if (revision < 0) {
      return;
    }
    if (!watcher.synced) {
      toReplay(watcher);
    }
    if (watcher.progressNotify) {
      // Unless a round of notifications is under way it waits for the next.
      nextNotified += nextNotified == notified.size() ? 1 : 0;
      notified.add(watcher);
      if (notified.size() == 1) {
        scheduleTick();
      }
    }
    answer(new WatchMessage.Created(watcher.id, revision));
  }

  @Override
  public void refuse(String reason) {
    answer(new WatchMessage.CreateFailed(-1, fanout.last(), reason));
  }

  @Override
  public void cancel(long watchId) {
    Watcher watcher = watchers.get(watchId);
    if (watcher == null || !fanout.remove(watcher)) {
      return;
    }
    watcher.cancelled = true;
    int at = notified.indexOf(watcher);
    if (at >= 0) {
      notified.remove(at);
      nextNotified -= at < nextNotified ? 1 : 0;
    }
    answer(new WatchMessage.Cancelled(watchId, fanout.last()));
  }

  @Override
  public void requestProgress() {
    long revision = fanout.last();
    if (watchers.isEmpty() || closed) {
      return;
    }
    for (Watcher watcher : watchers.values()) {
      if (!watcher.synced || watcher.detached || revision < watcher.startRevision) {
        return;
      }
    }
    progressAsked.add(revision);
    signal();
  }

  @Override
  public boolean acceptsControl() {
    return control.size() + progressAsked.size() < MAX_CONTROL;
  }

  private void answer(WatchMessage message) {
    control.add(message);
    signal();
  }

  // Delivery

  @Override
  public @Nullable WatchMessage poll() {
    if (armed) {
      armed = false;
    }
    while (!closed) {
      WatchMessage message = next();
      if (message != null) {
        return message;
      }
      armed = true;
      if (replay.yielded()) {
        signal();
        return null;
      }
      boolean more = pushed != null || ticked || replay.isGranted() || live.hasMore(limit());
      if (!more || !ARMED.compareAndSet(this, true, false)) {
        return null;
      }
    }
    return null;
  }

  @Override
  public boolean isBehind() {
    return replay.hasWork();
  }

  private @Nullable WatchMessage next() {
    WatchMessage message = fragments.next();
    if (message == null) {
      message = control.poll();
    }
    if (message == null) {
      message = periodicProgress();
    }
    if (message != null) {
      return message;
    }
    live.take((Watcher) PUSHED.getAndSet(this, (Watcher) null));
    replayTurn = !replayTurn;
    message = replayTurn ? replay.next() : null;
    if (message == null) {
      message = live.next(limit());
    }
    if (message == null) {
      message = askedProgress();
    }
    // Also when it had its turn: a live watcher may just have fallen behind.
    return message != null ? message : replay.next();
  }

  /// Up to which revision live events may be sent: not past one at which progress was asked for,
  /// so that its answer is neither late nor untrue.
  private long limit() {
    Long asked = progressAsked.peek();
    return asked == null ? fanout.last() : asked;
  }

  private @Nullable WatchMessage askedProgress() {
    Long asked = progressAsked.poll();
    return asked == null ? null : new WatchMessage.Progress(-1, asked);
  }

  private @Nullable WatchMessage periodicProgress() {
    if (ticked) {
      ticked = false;
      nextNotified = 0;
      if (!notified.isEmpty()) {
        scheduleTick();
      }
    } else if (nextNotified == notified.size()) {
      return null;
    }
    while (nextNotified < notified.size()) {
      Watcher watcher = notified.get(nextNotified++);
      long revision = fanout.last();
      boolean quiet = !watcher.sentSinceTick;
      watcher.sentSinceTick = false;
      if (quiet
          && watcher.synced
          && !watcher.detached
          && !watcher.isQueued()
          && revision >= watcher.startRevision) {
        return new WatchMessage.Progress(watcher.id, revision);
      }
    }
    return null;
  }

  /// Turns what was gathered into a message; of a large one the first fragment.
  WatchMessage events(Watcher watcher, long revision, List<byte[]> wires) {
    watcher.sentSinceTick = true;
    var whole = new WatchMessage.Events(watcher.id, revision, wires, false);
    return watcher.fragment ? fragments.split(whole) : whole;
  }

  /// The watcher needs the past. What progress was asked for before is not answered any more: an
  /// answer would speak for this watcher too (WATCH-74).
  void toReplay(Watcher watcher) {
    watcher.synced = false;
    progressAsked.clear();
    replay.add(watcher);
  }

  private void scheduleTick() {
    long now = hub.nanoClock.getAsLong();
    long ticks = (now - openedNanos) / progressIntervalNanos + 1;
    hub.scheduleTick(this, openedNanos + ticks * progressIntervalNanos);
  }

  // Other threads

  /// Hands a marked watcher over. Under the hub's lock.
  void push(Watcher watcher) {
    Watcher head;
    do {
      head = pushed;
      watcher.link = head;
    } while (!PUSHED.compareAndSet(this, head, watcher));
  }

  /// Whether this is the first time `revision` concerns the stream. Under the hub's lock.
  boolean touchedBy(long revision) {
    boolean first = touchedAt != revision;
    touchedAt = revision;
    return first;
  }

  /// History that was asked for is at hand, in `chunk` or in the ring.
  void granted(@Nullable HistoryChunk chunk, long nowNanos) {
    replay.grant(chunk, nowNanos);
    signal();
  }

  void tick() {
    ticked = true;
    signal();
  }

  /// Wakes the owner if it waits: once until it polls again.
  void signal() {
    if (armed && ARMED.compareAndSet(this, true, false)) {
      wake.run();
    }
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    synchronized (fanout) {
      if (closed) {
        return;
      }
      closed = true;
    }
    hub.closed(this);
    replay.close();
  }
}
