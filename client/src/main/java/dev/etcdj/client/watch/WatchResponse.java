package dev.etcdj.client.watch;

import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.proto.status.EtcdException;
import java.util.List;

/// What a watch tells, in order. [Compacted], [Refused], [Failed] and [Closed] are its last word.
public sealed interface WatchResponse {
  /// Changes, by revision; those of one revision are never torn apart.
  record Events(ResponseHeader header, List<Event> events) implements WatchResponse {}

  /// Every event up to `header.revision` has been told (WATCH-70).
  record Progress(ResponseHeader header) implements WatchResponse {}

  /// The next revision wanted is no longer kept: the reader has missed changes and must read the
  /// state anew, then watch from there.
  ///
  /// @param compactRevision the oldest revision that is kept
  record Compacted(ResponseHeader header, long compactRevision) implements WatchResponse {}

  /// The member refuses the watch, for example for want of a permission (WATCH-11..16).
  record Refused(ResponseHeader header, String reason) implements WatchResponse {}

  /// The stream failed in a way that another attempt cannot mend.
  record Failed(EtcdException error) implements WatchResponse {}

  /// [Watcher#close] was called, or the client closed.
  record Closed() implements WatchResponse {}

  /// Whether nothing comes after it.
  default boolean last() {
    return switch (this) {
      case Events _, Progress _ -> false;
      case Compacted _, Refused _, Failed _, Closed _ -> true;
    };
  }
}
