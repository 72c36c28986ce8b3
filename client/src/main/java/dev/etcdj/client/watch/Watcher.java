package dev.etcdj.client.watch;

import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.Errors;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.etcdserverpb.WatchProgressRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A running watch, read with [#next].
///
/// Each watcher has a stream of its own, so HTTP/2's flow control holds back exactly the member's
/// side of this watcher while its reader is slow: at most `bufferedResponses` responses are here.
///
/// Position: `nextRevision` is the first revision not yet told. It follows the last event's own
/// revision, never the header's, which may run ahead of events still to come (WATCH-46). A new
/// stream starts there, and what an old stream still delivers is dropped.
/// Invariant: nextRevision never falls.
/// Thread: safe. All fields are guarded by `this`; futures complete outside the lock.
public final class Watcher implements AutoCloseable {
  private static final long FIRST_PAUSE_MILLIS = 25;
  private static final long MAX_PAUSE_MILLIS = 1_000;

  private final Calls calls;
  private final WatchRequest request;
  private final Queue<WatchResponse> ready = new ArrayDeque<>();
  private final Queue<CompletableFuture<WatchResponse>> waiting = new ArrayDeque<>();
  private long nextRevision;
  private @Nullable Stream stream;
  private @Nullable WatchResponse end;
  private int failures;

  Watcher(Calls calls, WatchRequest request) {
    this.calls = calls;
    this.request = request;
    this.nextRevision = request.startRevision();
  }

  /// The next response. Several may be asked for ahead; they are answered in order. After the last
  /// word every call gives that word again.
  ///
  /// @return completes on an event loop or at once, never exceptionally
  public CompletableFuture<WatchResponse> next() {
    Stream granting;
    CompletableFuture<WatchResponse> answer;
    synchronized (this) {
      WatchResponse first = ready.poll();
      if (first == null) {
        if (end != null) {
          return CompletableFuture.completedFuture(end);
        }
        answer = new CompletableFuture<>();
        waiting.add(answer);
        return answer;
      }
      answer = CompletableFuture.completedFuture(first);
      granting = stream;
    }
    if (granting != null) {
      granting.request(1);
    }
    return answer;
  }

  /// Asks the member how far it is; a [WatchResponse.Progress] follows unless the watch is behind
  /// (WATCH-74). Nothing happens while there is no connection.
  public void requestProgress() {
    Stream asked;
    synchronized (this) {
      asked = stream;
    }
    if (asked != null) {
      asked.send(
          dev.etcdj.proto.etcdserverpb.WatchRequest.newBuilder()
              .setProgressRequest(WatchProgressRequest.getDefaultInstance())
              .build());
    }
  }

  /// The first revision not yet told; 0 before anything is known. With it as `startRevision`
  /// another watch continues this one.
  public synchronized long nextRevision() {
    return nextRevision;
  }

  /// Ends the watch. Responses already here can still be read; [WatchResponse.Closed] follows.
  @Override
  public void close() {
    finish(new WatchResponse.Closed());
  }

  void connect() {
    Stream opened;
    synchronized (this) {
      if (end != null) {
        return;
      }
      opened = new Stream(calls.stream(WatchGrpc.getWatchMethod()));
      stream = opened;
    }
    opened.start(
        dev.etcdj.proto.etcdserverpb.WatchRequest.newBuilder().setCreateRequest(create()).build(),
        request.bufferedResponses());
  }

  private synchronized WatchCreateRequest create() {
    WatchCreateRequest.Builder create =
        WatchCreateRequest.newBuilder()
            .setKey(request.range().key())
            .setRangeEnd(request.range().end())
            .setStartRevision(nextRevision)
            .setPrevKv(request.prevKv())
            .setProgressNotify(request.progressNotify())
            .setFragment(true);
    for (Event.Type type : request.without()) {
      create.addFilters(
          switch (type) {
            case PUT -> WatchCreateRequest.FilterType.NOPUT;
            case DELETE -> WatchCreateRequest.FilterType.NODELETE;
          });
    }
    return create.build();
  }

  /// Hands on a response of `from` and moves the position behind it.
  private void deliver(Stream from, WatchResponse response, long behind) {
    CompletableFuture<WatchResponse> reader;
    synchronized (this) {
      if (from != stream || end != null) {
        return;
      }
      nextRevision = Math.max(nextRevision, behind);
      reader = waiting.poll();
      if (reader == null) {
        ready.add(response);
      }
    }
    if (reader != null) {
      from.request(1);
      reader.complete(response);
    }
  }

  private void finish(WatchResponse last) {
    List<CompletableFuture<WatchResponse>> readers;
    Stream open;
    synchronized (this) {
      if (end != null) {
        return;
      }
      end = last;
      open = stream;
      stream = null;
      readers = new ArrayList<>(waiting);
      waiting.clear();
    }
    if (open != null) {
      open.end();
    }
    readers.forEach(reader -> reader.complete(last));
  }

  private void broken(Stream which, EtcdException error) {
    long pause;
    synchronized (this) {
      if (which != stream || end != null) {
        return;
      }
      stream = null;
      pause = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
      failures++;
    }
    if (calls.transport().closed()) {
      finish(new WatchResponse.Closed());
      return;
    }
    if (!mendable(error.code())) {
      finish(new WatchResponse.Failed(error));
      return;
    }
    long spread = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    calls.transport().eventLoop().schedule(this::connect, spread, TimeUnit.MILLISECONDS);
  }

  /// Whether another member, or the same one later, may give a better answer.
  private static boolean mendable(RpcError.Code code) {
    return switch (code) {
      case UNAVAILABLE,
          UNKNOWN,
          INTERNAL,
          ABORTED,
          CANCELED,
          RESOURCE_EXHAUSTED,
          DEADLINE_EXCEEDED,
          OK ->
          true;
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          DATA_LOSS,
          UNAUTHENTICATED ->
          false;
    };
  }

  /// One stream of the watch; its callbacks come one at a time.
  private final class Stream
      extends ClientCall.Listener<dev.etcdj.proto.etcdserverpb.WatchResponse> {
    final ClientCall<
            dev.etcdj.proto.etcdserverpb.WatchRequest, dev.etcdj.proto.etcdserverpb.WatchResponse>
        call;

    private boolean started;
    private boolean ended;

    /// Events of a response whose last part has not come yet (WATCH-90).
    private List<Event> parts = new ArrayList<>();

    Stream(
        ClientCall<
                dev.etcdj.proto.etcdserverpb.WatchRequest,
                dev.etcdj.proto.etcdserverpb.WatchResponse>
            call) {
      this.call = call;
    }

    // A call takes one caller at a time. Lock order: stream, then watcher.

    synchronized void start(
        dev.etcdj.proto.etcdserverpb.WatchRequest first, int bufferedResponses) {
      if (ended) {
        return;
      }
      call.start(this, new Metadata());
      call.request(bufferedResponses);
      call.sendMessage(first);
      started = true;
    }

    synchronized void send(dev.etcdj.proto.etcdserverpb.WatchRequest message) {
      if (started && !ended) {
        call.sendMessage(message);
      }
    }

    synchronized void end() {
      ended = true;
      if (started) {
        call.cancel("watch ended", null);
      }
    }

    synchronized void request(int responses) {
      if (started) {
        call.request(responses);
      }
    }

    @Override
    public void onMessage(dev.etcdj.proto.etcdserverpb.WatchResponse wire) {
      ResponseHeader header = ResponseHeader.of(wire.getHeader());
      if (wire.getCanceled()) {
        finish(
            wire.getCompactRevision() != 0
                ? new WatchResponse.Compacted(header, wire.getCompactRevision())
                : new WatchResponse.Refused(header, wire.getCancelReason()));
      } else if (wire.getCreated()) {
        created(header);
      } else if (wire.getEventsCount() == 0) {
        deliver(this, new WatchResponse.Progress(header), header.revision() + 1);
      } else {
        events(wire, header);
      }
    }

    private void created(ResponseHeader header) {
      synchronized (Watcher.this) {
        failures = 0;
        if (nextRevision == 0 && stream == this) {
          // Everything up to here is before the watch, also for a stream that comes later.
          nextRevision = header.revision() + 1;
        }
      }
      request(1);
    }

    private void events(dev.etcdj.proto.etcdserverpb.WatchResponse wire, ResponseHeader header) {
      for (dev.etcdj.proto.mvccpb.Event event : wire.getEventsList()) {
        parts.add(Event.of(event));
      }
      if (wire.getFragment()) {
        request(1);
        return;
      }
      List<Event> whole = List.copyOf(parts);
      parts = new ArrayList<>();
      long behind = whole.getLast().kv().modRevision() + 1;
      deliver(this, new WatchResponse.Events(header, whole), behind);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      broken(this, Errors.of(status));
    }
  }
}
