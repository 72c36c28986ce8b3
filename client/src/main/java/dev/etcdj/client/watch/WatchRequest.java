package dev.etcdj.client.watch;

import dev.etcdj.client.kv.KeyRange;
import java.util.EnumSet;
import java.util.Set;

/// What to watch.
///
/// @param startRevision first revision wanted; 0: whatever comes after the watch is set up
/// @param prevKv whether events carry the pair they replaced
/// @param progressNotify whether the member tells now and then how far it is (WATCH-71)
/// @param without kinds of events that are not wanted
/// @param bufferedResponses most responses held for a reader that is slow, at least 1; the member
///     then waits, at the cost of nobody else
/// Source: etcdserverpb.WatchCreateRequest.
public record WatchRequest(
    KeyRange range,
    long startRevision,
    boolean prevKv,
    boolean progressNotify,
    Set<Event.Type> without,
    int bufferedResponses) {
  private static final int DEFAULT_BUFFER = 16;

  /// Copies the set.
  public WatchRequest {
    without = Set.copyOf(without);
    if (bufferedResponses < 1) {
      throw new IllegalArgumentException("bufferedResponses " + bufferedResponses);
    }
  }

  /// All events of `range` from now on.
  public static WatchRequest of(KeyRange range) {
    return new WatchRequest(
        range, 0, false, false, EnumSet.noneOf(Event.Type.class), DEFAULT_BUFFER);
  }

  /// Changes the first revision.
  public WatchRequest from(long revision) {
    return new WatchRequest(range, revision, prevKv, progressNotify, without, bufferedResponses);
  }

  /// Changes whether events carry the pair they replaced.
  public WatchRequest withPrevKv(boolean value) {
    return new WatchRequest(
        range, startRevision, value, progressNotify, without, bufferedResponses);
  }

  /// Changes whether progress is told.
  public WatchRequest withProgressNotify(boolean value) {
    return new WatchRequest(range, startRevision, prevKv, value, without, bufferedResponses);
  }

  /// Changes what is not wanted.
  public WatchRequest without(Set<Event.Type> value) {
    return new WatchRequest(range, startRevision, prevKv, progressNotify, value, bufferedResponses);
  }

  /// Changes how many responses are held.
  public WatchRequest withBufferedResponses(int value) {
    return new WatchRequest(range, startRevision, prevKv, progressNotify, without, value);
  }
}
