package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseLeasesResponse;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseStatus;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// One program under way at one server: each answer begins the next step. On the connection's event
/// loop, for handing each answer to another thread would cost more than all the rest here.
final class Run {
  private static final int READS_AT_ONCE = 16;
  private static final int MARKERS_PER_TXN = 100;
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  private final Target target;
  private final List<Step> steps;
  private final CompletableFuture<Transcript> transcript = new CompletableFuture<>();
  private final Outcome[] outcomes;
  private final Map<String, WatchStream> watches = new LinkedHashMap<>();
  private final Map<String, KeepAliveStream> keepAlives = new LinkedHashMap<>();
  private final List<String> violations = new ArrayList<>();
  private final List<ClientCall<?, ?>> open = new ArrayList<>();

  /// Those whose answers are waited for, and some that have ended.
  private final List<Asked<?>> asked = new ArrayList<>();

  private long base;

  /// The newest revision that an answer has told of.
  private long current;

  private int next;

  /// Steps begun and not ended.
  private int pending;

  private boolean advancing;
  private int idleSeconds;

  Run(Target target, List<Step> steps) {
    this.target = target;
    this.steps = steps;
    this.outcomes = new Outcome[steps.size()];
  }

  CompletableFuture<Transcript> transcript() {
    return transcript;
  }

  /// Empties the key space and plays.
  ///
  /// @param used whether there may be keys; deletes them, and then leases, which hold none any more
  void begin(boolean used) {
    if (used) {
      prepare(Verb.PUT, PutRequest.newBuilder().setKey(ZERO).build(), _ -> deleteAll());
    } else {
      deleteAll();
    }
  }

  private void deleteAll() {
    prepare(
        Verb.DELETE,
        DeleteRangeRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO).build(),
        deleted -> {
          base = Canonical.headerRevision(deleted);
          current = base;
          prepare(Verb.LEASES, Verb.LEASES.request(), this::revoke);
        });
  }

  private void revoke(Message leases) {
    List<LeaseStatus> left = new ArrayList<>(((LeaseLeasesResponse) leases).getLeasesList());
    int[] pendingRevokes = {left.size()};
    if (left.isEmpty()) {
      advance();
    }
    for (LeaseStatus lease : left) {
      prepare(
          Verb.REVOKE,
          LeaseRevokeRequest.newBuilder().setID(lease.getID()).build(),
          _ -> {
            if (--pendingRevokes[0] == 0) {
              advance();
            }
          });
    }
  }

  private void prepare(Verb verb, Message request, Consumer<Message> then) {
    ask(
        verb,
        request,
        new Metadata(),
        outcome -> {
          idleSeconds = 0;
          if (outcome.code() != Status.Code.OK) {
            fail(new IllegalStateException(target.name() + " cannot be emptied: " + outcome));
          } else {
            guarded(() -> then.accept(outcome.answers().getFirst()));
          }
        });
  }

  /// Called once a second by who waits for the transcript. Seconds in which this process did not
  /// run do not count, so a machine that is busy or paused exhausts nobody's patience.
  ///
  /// @param patienceSeconds after which what is waited for counts as not coming
  void secondPassed(int patienceSeconds) {
    if (++idleSeconds >= patienceSeconds) {
      idleSeconds = 0;
      List.copyOf(asked).forEach(Asked::giveUp);
      List.copyOf(watches.values()).forEach(WatchStream::giveUp);
      List.copyOf(keepAlives.values()).forEach(KeepAliveStream::giveUp);
    }
  }

  private void guarded(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void fail(RuntimeException cause) {
    transcript.completeExceptionally(cause);
    hangUp();
  }

  private void hangUp() {
    open.forEach(call -> call.cancel("the program is over", null));
  }

  private void ended(int step, Outcome outcome) {
    idleSeconds = 0;
    outcomes[step] = outcome;
    pending--;
    guarded(this::advance);
  }

  private void advance() {
    if (advancing) {
      // The loop below goes on.
      return;
    }
    advancing = true;
    while (pending == 0 && next < steps.size() && !transcript.isDone()) {
      asked.clear();
      beginNext();
    }
    advancing = false;
    if (pending == 0 && next == steps.size()) {
      next++;
      settle(_ -> finish());
    }
  }

  /// Begins the next step, or neighbouring reads at once: nothing changes between them.
  private void beginNext() {
    int from = next;
    while (next < steps.size() && next - from < READS_AT_ONCE && isRead(steps.get(next))) {
      next++;
    }
    if (next == from) {
      next++;
    }
    pending = next - from;
    for (int i = from; i < next; i++) {
      begin(i);
    }
  }

  private static boolean isRead(Step step) {
    return step instanceof Step.Call(Verb verb, _, var metadata)
        && verb.readOnly()
        && !verb.streaming()
        && metadata.isEmpty();
  }

  private void finish() {
    Map<String, List<WatchResponse>> streams = new LinkedHashMap<>();
    watches.forEach((name, stream) -> streams.put(name, stream.rest()));
    transcript.complete(
        new Transcript(base, Arrays.asList(outcomes), streams, List.copyOf(violations)));
    hangUp();
  }

  private void begin(int i) {
    Consumer<Outcome> then = outcome -> ended(i, outcome);
    Consumer<Outcome> seen = outcome -> ended(i, seen(outcome));
    switch (steps.get(i)) {
      case Step.Call(Verb verb, Message request, Map<String, String> metadata) ->
          ask(verb, resolved(request), headers(metadata), seen);
      case Step.Raw(String method, ByteString request) ->
          asked.add(
              Asked.ask(
                  target.channel(),
                  RawBytes.method(method),
                  new Metadata(),
                  request,
                  answer -> RawBytes.parse(method, answer),
                  seen));
      case Step.Watch(String name, WatchRequest request, Map<String, String> metadata) ->
          watches
              .computeIfAbsent(name, n -> openWatch(n, metadata))
              .send((WatchRequest) resolved(request), seen);
      case Step.Expect(String name, int answers) -> {
        if (watches.get(name) instanceof WatchStream stream) {
          stream.expect(answers, then);
        } else {
          then.accept(Outcome.of(List.of()));
        }
      }
      case Step.KeepAlive(String name, LeaseKeepAliveRequest request) ->
          keepAlives.computeIfAbsent(name, _ -> openKeepAlive()).send(request, then);
      case Step.HalfClose(String name) -> {
        if (watches.get(name) instanceof WatchStream stream) {
          then.accept(stream.halfClose());
        } else {
          keepAlives.computeIfAbsent(name, _ -> openKeepAlive()).halfClose(then);
        }
      }
      case Step.Settle() -> settle(then);
      case Step.Sleep(int millis) ->
          Target.loop()
              .schedule(() -> then.accept(Outcome.of(List.of())), millis, TimeUnit.MILLISECONDS);
    }
  }

  private Message resolved(Message request) {
    return Revisions.resolve(request, base, current);
  }

  private void ask(Verb verb, Message request, Metadata headers, Consumer<Outcome> then) {
    asked.add(Asked.ask(target.channel(), verb.method(), headers, request, answer -> answer, then));
  }

  private Outcome seen(Outcome outcome) {
    for (Message answer : outcome.answers()) {
      current = Math.max(current, Canonical.headerRevision(answer));
    }
    return outcome;
  }

  private static Metadata headers(Map<String, String> metadata) {
    Metadata headers = new Metadata();
    metadata.forEach(
        (key, value) -> headers.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value));
    return headers;
  }

  private WatchStream openWatch(String name, Map<String, String> metadata) {
    WatchStream stream = new WatchStream(name, violations);
    Channel channel =
        ClientInterceptors.intercept(
            target.channel(), MetadataUtils.newAttachHeadersInterceptor(headers(metadata)));
    stream.opened(open(channel, WatchGrpc.getWatchMethod(), stream));
    return stream;
  }

  private KeepAliveStream openKeepAlive() {
    KeepAliveStream stream = new KeepAliveStream();
    stream.opened(open(target.channel(), LeaseGrpc.getLeaseKeepAliveMethod(), stream));
    return stream;
  }

  private <Q, A> StreamObserver<Q> open(
      Channel channel, MethodDescriptor<Q, A> method, StreamObserver<A> answers) {
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    open.add(call);
    return ClientCalls.asyncBidiStreamingCall(call, answers);
  }

  /// Puts and deletes a marker that every watcher sees, and waits until it has.
  private void settle(Consumer<Outcome> then) {
    TreeSet<ByteString> keys = new TreeSet<>(ByteString.unsignedLexicographicalComparator());
    for (WatchStream stream : watches.values()) {
      stream.watchers().forEach(watcher -> keys.add(watcher.markerKey()));
    }
    if (keys.isEmpty()) {
      then.accept(Outcome.of(List.of()));
      return;
    }
    if (keys.size() > MARKERS_PER_TXN) {
      throw new IllegalStateException("too many watchers to settle: " + keys.size());
    }
    TxnRequest.Builder puts = TxnRequest.newBuilder();
    TxnRequest.Builder deletes = TxnRequest.newBuilder();
    for (ByteString key : keys) {
      puts.addSuccess(RequestOp.newBuilder().setRequestPut(PutRequest.newBuilder().setKey(key)));
      deletes.addSuccess(
          RequestOp.newBuilder()
              .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key)));
    }
    ask(
        Verb.TXN,
        puts.build(),
        new Metadata(),
        put -> {
          seen(put);
          long revision = current;
          ask(
              Verb.TXN,
              deletes.build(),
              new Metadata(),
              deleted -> guarded(() -> settle(revision, put, seen(deleted), then)));
        });
  }

  private void settle(long revision, Outcome put, Outcome deleted, Consumer<Outcome> then) {
    if (put.code() != Status.Code.OK || deleted.code() != Status.Code.OK) {
      then.accept(put.code() != Status.Code.OK ? put : deleted);
      return;
    }
    List<Message> answers = new ArrayList<>(put.answers());
    answers.addAll(deleted.answers());
    int[] unsettled = {watches.size()};
    for (WatchStream stream : List.copyOf(watches.values())) {
      stream.settle(
          revision,
          () -> {
            if (--unsettled[0] == 0) {
              then.accept(Outcome.of(answers));
            }
          });
    }
  }
}
