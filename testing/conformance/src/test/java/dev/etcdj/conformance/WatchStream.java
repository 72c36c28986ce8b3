package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest.FilterType;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.proto.mvccpb.Event;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// One watch stream of a program: sends requests, keeps answers, and checks what a stream promises
/// whatever the other server says: order, wholeness of revisions, headers (WATCH-31, 43, 44, 48).
///
/// Thread-safe: answers arrive on the connection's thread.
final class WatchStream implements StreamObserver<WatchResponse> {
  private static final long PATIENCE_NANOS =
      TimeUnit.SECONDS.toNanos(Long.getLong("patienceSeconds", 10));
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  /// A create that is answered at once and leaves nothing behind (WATCH-11, WATCH-16).
  private static final WatchRequest FENCE =
      WatchRequest.newBuilder()
          .setCreateRequest(
              WatchCreateRequest.newBuilder()
                  .setKey(ByteString.copyFromUtf8("b"))
                  .setRangeEnd(ByteString.copyFromUtf8("a")))
          .build();

  /// A watcher that was created and that the client has not cancelled.
  static final class Watcher {
    private final WatchCreateRequest request;
    private long lastRevision;
    private boolean revisionOpen;
    private boolean ended;

    Watcher(WatchCreateRequest request) {
      this.request = request;
    }

    /// A key that it sees, beside those that programs use where its range leaves room.
    ByteString markerKey() {
      ByteString key = request.getKey().isEmpty() ? ZERO : request.getKey();
      ByteString beside = key.concat(ByteString.copyFrom(new byte[] {0, '~'}));
      ByteString end = request.getRangeEnd();
      boolean room =
          end.equals(ZERO)
              || ByteString.unsignedLexicographicalComparator().compare(beside, end) < 0;
      return room && !end.isEmpty() ? beside : key;
    }

    /// The revision of the last event that it must deliver when its marker was put at `put` and
    /// deleted at `put + 1`, or 0 if it will see neither.
    private long awaited(long put) {
      if (!request.getFiltersList().contains(FilterType.NODELETE)) {
        return request.getStartRevision() <= put + 1 ? put + 1 : 0;
      }
      boolean seesPut = !request.getFiltersList().contains(FilterType.NOPUT);
      return seesPut && request.getStartRevision() <= put ? put : 0;
    }
  }

  private final String name;
  private final List<String> violations;
  private final Map<Long, Watcher> watchers = new LinkedHashMap<>();
  private final List<WatchCreateRequest> asked = new ArrayList<>();
  private final Set<Integer> fences = new HashSet<>();
  private final List<WatchResponse> created = new ArrayList<>();
  private final List<WatchResponse> rest = new ArrayList<>();
  private final Set<Long> idsAnnounced = new HashSet<>();
  private @Nullable Status end;
  private @Nullable StreamObserver<WatchRequest> requests;

  WatchStream(String name, List<String> violations) {
    this.name = name;
    this.violations = violations;
  }

  void opened(StreamObserver<WatchRequest> to) {
    this.requests = to;
  }

  /// Sends a request and waits until the server has handled it.
  ///
  /// @return the answer if it was a create
  synchronized Outcome send(WatchRequest request) {
    boolean creates = request.hasCreateRequest();
    int ordinal = asked.size();
    if (creates) {
      asked.add(request.getCreateRequest());
    }
    fences.add(asked.size());
    asked.add(FENCE.getCreateRequest());
    StreamObserver<WatchRequest> to = Objects.requireNonNull(requests);
    if (end == null) {
      to.onNext(request);
      to.onNext(FENCE);
    }
    if (!await(() -> created.size() >= asked.size())) {
      return Outcome.of(ended("no answer to a request"), List.of());
    }
    if (request.hasCancelRequest()) {
      watchers.remove(request.getCancelRequest().getWatchId());
    }
    return Outcome.of(creates ? List.of(created.get(ordinal)) : List.of());
  }

  /// @return the next `count` answers that are no created responses, fewer if they do not come
  synchronized Outcome expect(int count) {
    boolean came = await(() -> rest.size() >= count);
    List<WatchResponse> taken = List.copyOf(rest.subList(0, Math.min(count, rest.size())));
    rest.subList(0, taken.size()).clear();
    return came ? Outcome.of(taken) : Outcome.of(ended("only " + taken.size() + " came"), taken);
  }

  synchronized Collection<Watcher> watchers() {
    return List.copyOf(watchers.values());
  }

  /// Waits until every watcher has delivered its marker, see [Watcher#awaited].
  synchronized void settle(long putRevision) {
    if (!await(() -> watchers.values().stream().allMatch(w -> settled(w, putRevision)))) {
      watchers.forEach(
          (id, watcher) -> {
            if (!settled(watcher, putRevision)) {
              violations.add(
                  "WATCH-110: watcher %d of stream %s has delivered up to revision %d, not %d"
                      .formatted(id, name, watcher.lastRevision, watcher.awaited(putRevision)));
            }
          });
    }
  }

  private static boolean settled(Watcher watcher, long putRevision) {
    return watcher.ended || watcher.lastRevision >= watcher.awaited(putRevision);
  }

  Outcome halfClose() {
    Objects.requireNonNull(requests).onCompleted();
    return Outcome.of(List.of());
  }

  /// What has come and was not taken.
  synchronized List<WatchResponse> rest() {
    return List.copyOf(rest);
  }

  private Status ended(String otherwise) {
    return end != null ? end : Status.DEADLINE_EXCEEDED.withDescription(otherwise);
  }

  private boolean await(BooleanSupplier condition) {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      long left = until - System.nanoTime();
      if (left <= 0 || end != null) {
        return false;
      }
      try {
        wait(left / 1_000_000 + 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  @Override
  public synchronized void onNext(WatchResponse answer) {
    if (answer.getCreated()) {
      created(answer);
    } else {
      check(answer);
      rest.add(answer);
    }
    notifyAll();
  }

  private void created(WatchResponse answer) {
    int ordinal = created.size();
    created.add(answer);
    if (ordinal >= asked.size()) {
      violations.add("WATCH-11: a created response that nobody asked for: " + answer);
    } else if (!answer.getCanceled() && !fences.contains(ordinal)) {
      watchers.put(answer.getWatchId(), new Watcher(asked.get(ordinal)));
      idsAnnounced.add(answer.getWatchId());
    }
  }

  private void check(WatchResponse answer) {
    long id = answer.getWatchId();
    if (id != -1 && !idsAnnounced.contains(id)) {
      violations.add("WATCH-31: an answer before its created response: " + answer);
    }
    Watcher watcher = watchers.get(id);
    if (watcher == null) {
      return;
    }
    watcher.ended |= answer.getCanceled();
    for (Event event : answer.getEventsList()) {
      long revision = event.getKv().getModRevision();
      if (revision < watcher.lastRevision) {
        violations.add("WATCH-43: revision " + revision + " after " + watcher.lastRevision);
      }
      boolean firstOfAnswer = event == answer.getEvents(0);
      if (firstOfAnswer && revision == watcher.lastRevision && !watcher.revisionOpen) {
        violations.add("WATCH-44: revision " + revision + " is in two responses");
      }
      watcher.lastRevision = revision;
    }
    watcher.revisionOpen = answer.getFragment();
    if (answer.getEventsCount() > 0 && answer.getHeader().getRevision() < watcher.lastRevision) {
      violations.add("WATCH-48: header below the last event: " + answer);
    }
  }

  @Override
  public synchronized void onError(Throwable cause) {
    end = Status.fromThrowable(cause);
    notifyAll();
  }

  @Override
  public synchronized void onCompleted() {
    end = Status.OK.withDescription("ended");
    notifyAll();
  }
}
