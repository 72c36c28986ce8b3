package dev.etcdj.mvcc.watch;

import java.util.List;

/// What a stream hands to its client, in order. `revision` goes into the response header.
public sealed interface WatchMessage {
  /// Id of the watcher; -1 for a failed create and for a progress answer to the whole stream.
  long watchId();

  /// A watcher stands (WATCH-30).
  record Created(long watchId, long revision) implements WatchMessage {}

  /// A watcher could not be made (WATCH-11).
  record CreateFailed(long watchId, long revision, String reason) implements WatchMessage {}

  /// All events of one or more whole revisions for one watcher (WATCH-44..46), or a fragment of
  /// them (`fragment`: more parts follow, WATCH-90).
  ///
  /// @param events wire-form `mvccpb.Event`s, shared between watchers: read only
  record Events(long watchId, long revision, List<byte[]> events, boolean fragment)
      implements WatchMessage {}

  /// The client's own cancel is done (WATCH-60).
  record Cancelled(long watchId, long revision) implements WatchMessage {}

  /// History the watcher needs is gone (WATCH-33).
  record Compacted(long watchId, long compactRevision) implements WatchMessage {}

  /// Everything up to `revision` was sent (WATCH-70).
  record Progress(long watchId, long revision) implements WatchMessage {}
}
