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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One watch stream of a program: sends requests, keeps answers, and checks what a stream promises
/// whatever the other server says: order, wholeness of revisions, headers (WATCH-31, 43, 44, 48).
///
/// On the connection's event loop, so nothing here waits: a callback is told when it is time.
final class WatchStream implements StreamObserver<WatchResponse> {
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

  /// @param then told whether the condition holds, else it was given up or the stream has ended
  private record Wait(BooleanSupplier condition, Consumer<Boolean> then) {}

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
  private @Nullable Wait waiting;

  WatchStream(String name, List<String> violations) {
    this.name = name;
    this.violations = violations;
  }

  void opened(StreamObserver<WatchRequest> to) {
    this.requests = to;
  }

  /// Sends a request.
  ///
  /// @param then told when the server has handled it, with the answer if it was a create
  void send(WatchRequest request, Consumer<Outcome> then) {
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
    when(
        () -> created.size() >= asked.size(),
        answered -> {
          if (answered && request.hasCancelRequest()) {
            watchers.remove(request.getCancelRequest().getWatchId());
          }
          then.accept(
              !answered
                  ? Outcome.of(ended("no answer to a request"), List.of())
                  : Outcome.of(creates ? List.of(created.get(ordinal)) : List.of()));
        });
  }

  /// @param then told the next `count` answers that are no created responses, fewer if they do not
  ///     come
  void expect(int count, Consumer<Outcome> then) {
    when(
        () -> rest.size() >= count,
        came -> {
          List<WatchResponse> taken = List.copyOf(rest.subList(0, Math.min(count, rest.size())));
          rest.subList(0, taken.size()).clear();
          then.accept(
              came
                  ? Outcome.of(taken)
                  : Outcome.of(ended("only " + taken.size() + " came"), taken));
        });
  }

  Collection<Watcher> watchers() {
    return watchers.values();
  }

  /// @param then told when every watcher has delivered its marker, see [Watcher#awaited]
  void settle(long putRevision, Runnable then) {
    when(
        () -> watchers.values().stream().allMatch(w -> settled(w, putRevision)),
        settled -> {
          if (!settled) {
            unsettled(putRevision);
          }
          then.run();
        });
  }

  private void unsettled(long putRevision) {
    watchers.forEach(
        (id, watcher) -> {
          if (!settled(watcher, putRevision)) {
            violations.add(
                "WATCH-110: watcher %d of stream %s has delivered up to revision %d, not %d"
                    .formatted(id, name, watcher.lastRevision, watcher.awaited(putRevision)));
          }
        });
  }

  private static boolean settled(Watcher watcher, long putRevision) {
    return watcher.ended || watcher.lastRevision >= watcher.awaited(putRevision);
  }

  Outcome halfClose() {
    Objects.requireNonNull(requests).onCompleted();
    return Outcome.of(List.of());
  }

  /// What has come and was not taken.
  List<WatchResponse> rest() {
    return List.copyOf(rest);
  }

  private Status ended(String otherwise) {
    return end != null ? end : Status.DEADLINE_EXCEEDED.withDescription(otherwise);
  }

  /// Ends a wait, if there is one.
  void giveUp() {
    wake(true);
  }

  private void when(BooleanSupplier condition, Consumer<Boolean> then) {
    if (waiting != null) {
      throw new IllegalStateException("stream " + name + " is being waited for");
    }
    waiting = new Wait(condition, then);
    wake(false);
  }

  private void wake(boolean anyway) {
    Wait wait = waiting;
    if (wait == null) {
      return;
    }
    boolean holds = wait.condition().getAsBoolean();
    if (holds || anyway || end != null) {
      waiting = null;
      wait.then().accept(holds);
    }
  }

  @Override
  public void onNext(WatchResponse answer) {
    if (answer.getCreated()) {
      created(answer);
    } else {
      check(answer);
      rest.add(answer);
    }
    wake(false);
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
  public void onError(Throwable cause) {
    end = Status.fromThrowable(cause);
    wake(false);
  }

  @Override
  public void onCompleted() {
    end = Status.OK.withDescription("ended");
    wake(false);
  }
}
