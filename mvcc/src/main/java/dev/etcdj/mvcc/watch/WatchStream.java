package dev.etcdj.mvcc.watch;

import org.jspecify.annotations.Nullable;

/// The watchers of one client stream. Bounded: a client that does not read costs its positions
/// only. All methods are called by the stream's owner, one at a time (the call's event loop).
public interface WatchStream extends AutoCloseable {
  /// Answered by [WatchMessage.Created] or [WatchMessage.CreateFailed] in call order.
  void create(WatchSpec spec);

  /// Queues a failed create's answer, for refusals decided elsewhere (permission).
  void refuse(String reason);

  /// Answered by [WatchMessage.Cancelled]; unknown ids are not answered (WATCH-61).
  void cancel(long watchId);

  /// Answered by [WatchMessage.Progress] if all watchers are in step, else not (WATCH-74).
  void requestProgress();

  /// The next message, or null when there is none now; then `wake` of
  /// [WatchHub#openStream] is called once when there may be one again. A caller whose client does
  /// not read just stops calling: nothing is worked out for it until it asks again.
  @Nullable WatchMessage poll();

  /// Whether one of its watchers still reads the past, so that there is more to send than changes
  /// as they come. The owner.
  boolean isBehind();

  /// Whether one more `create`, `refuse`, `cancel` or `requestProgress` finds room for its answer.
  /// While false the caller takes no further request off the wire; each [#poll] may change it.
  boolean acceptsControl();

  /// Ends all watchers; nothing is delivered afterwards. Any thread.
  @Override
  void close();
}
