package dev.etcdj.server.rpc;

import com.google.protobuf.CodedOutputStream;
import dev.etcdj.mvcc.watch.WatchMessage;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A `WatchResponse` put together from events that are encoded once for all watchers.
record WatchReply(
    byte[] header,
    long watchId,
    boolean created,
    boolean canceled,
    long compactRevision,
    byte[] cancelReason,
    boolean fragment,
    List<byte[]> events,
    int size)
    implements WireMessage {
  private static final byte[] NO_REASON = new byte[0];

  private WatchReply(
      byte[] header,
      long watchId,
      boolean created,
      boolean canceled,
      long compactRevision,
      byte[] cancelReason,
      boolean fragment,
      List<byte[]> events) {
    this(
        header,
        watchId,
        created,
        canceled,
        compactRevision,
        cancelReason,
        fragment,
        events,
        size(header, watchId, created, canceled, compactRevision, cancelReason, fragment, events));
  }

  static WatchReply of(Headers headers, WatchMessage message) {
    return switch (message) {
      case WatchMessage.Events events ->
          new WatchReply(
              headers.encode(events.revision()),
              events.watchId(),
              false,
              false,
              0,
              NO_REASON,
              events.fragment(),
              events.events());
      case WatchMessage.Created created ->
          control(headers.encode(created.revision()), created.watchId(), true, false, NO_REASON, 0);
      case WatchMessage.CreateFailed failed ->
          control(
              headers.encode(failed.revision()),
              failed.watchId(),
              true,
              true,
              failed.reason().getBytes(StandardCharsets.UTF_8),
              0);
      case WatchMessage.Cancelled cancelled ->
          control(
              headers.encode(cancelled.revision()), cancelled.watchId(), false, true, NO_REASON, 0);
      // Its header carries no revision (WATCH-33).
      case WatchMessage.Compacted compacted ->
          control(
              headers.encode(0),
              compacted.watchId(),
              false,
              true,
              NO_REASON,
              compacted.compactRevision());
      case WatchMessage.Progress progress ->
          control(
              headers.encode(progress.revision()), progress.watchId(), false, false, NO_REASON, 0);
    };
  }

  private static WatchReply control(
      byte[] header,
      long watchId,
      boolean created,
      boolean canceled,
      byte[] reason,
      long compactRevision) {
    return new WatchReply(
        header, watchId, created, canceled, compactRevision, reason, false, List.of());
  }

  private static int size(
      byte[] header,
      long watchId,
      boolean created,
      boolean canceled,
      long compactRevision,
      byte[] reason,
      boolean fragment,
      List<byte[]> events) {
    int size = Replies.bytesSize(WatchResponse.HEADER_FIELD_NUMBER, header);
    size += Replies.int64Size(WatchResponse.WATCH_ID_FIELD_NUMBER, watchId);
    // Each flag: a one-byte tag and one byte.
    size += (created ? 2 : 0) + (canceled ? 2 : 0) + (fragment ? 2 : 0);
    size += Replies.int64Size(WatchResponse.COMPACT_REVISION_FIELD_NUMBER, compactRevision);
    if (reason.length > 0) {
      size += Replies.bytesSize(WatchResponse.CANCEL_REASON_FIELD_NUMBER, reason);
    }
    for (int i = 0; i < events.size(); i++) {
      size += Replies.bytesSize(WatchResponse.EVENTS_FIELD_NUMBER, events.get(i));
    }
    return size;
  }

  @Override
  public int serializedSize() {
    return size;
  }

  @Override
  public void writeTo(CodedOutputStream out) throws IOException {
    out.writeByteArray(WatchResponse.HEADER_FIELD_NUMBER, header);
    Replies.writeInt64(out, WatchResponse.WATCH_ID_FIELD_NUMBER, watchId);
    if (created) {
      out.writeBool(WatchResponse.CREATED_FIELD_NUMBER, true);
    }
    if (canceled) {
      out.writeBool(WatchResponse.CANCELED_FIELD_NUMBER, true);
    }
    Replies.writeInt64(out, WatchResponse.COMPACT_REVISION_FIELD_NUMBER, compactRevision);
    if (cancelReason.length > 0) {
      out.writeByteArray(WatchResponse.CANCEL_REASON_FIELD_NUMBER, cancelReason);
    }
    if (fragment) {
      out.writeBool(WatchResponse.FRAGMENT_FIELD_NUMBER, true);
    }
    for (int i = 0; i < events.size(); i++) {
      out.writeByteArray(WatchResponse.EVENTS_FIELD_NUMBER, events.get(i));
    }
  }
}
