package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;

/// What a client asks to watch; key is never empty here (WATCH-10).
///
/// @param rangeEnd as in [dev.etcdj.mvcc.RangeQuery]
/// @param startRevision 0: everything after now; else from that revision on (WATCH-32)
/// @param watchId 0: the stream picks one (WATCH-20)
public record WatchSpec(
    ByteString key,
    ByteString rangeEnd,
    long startRevision,
    long watchId,
    boolean prevKv,
    boolean progressNotify,
    boolean fragment,
    boolean noPut,
    boolean noDelete) {}
