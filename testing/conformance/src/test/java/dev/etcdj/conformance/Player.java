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
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
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
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Plays programs to one server. One thread at a time.
final class Player {
  private static final long DEADLINE_SECONDS = 10;
  private static final int READS_AT_ONCE = 16;
  private static final int MARKERS_PER_TXN = 100;
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  private final Target target;
  private boolean used;

  Player(Target target) {
    this.target = target;
  }

  /// Waits until the server serves.
  void awaitServing() throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        unary(target.channel(), Verb.RANGE, RangeRequest.newBuilder().setKey(ZERO).build());
        return;
      } catch (StatusRuntimeException e) {
        if (System.nanoTime() > until) {
          throw new AssertionError(target.name() + " does not serve", e);
        }
        Thread.sleep(20);
      }
    }
  }

  /// Empties the key space and plays.
  Transcript play(Program program) throws InterruptedException {
    return new Run(reset()).play(program.steps());
  }

  /// Deletes every key and lease. The last revision is that of a deletion of its own.
  ///
  /// @return the store's revision
  private long reset() {
    Channel channel = target.channel();
    LeaseLeasesResponse leases =
        (LeaseLeasesResponse) unary(channel, Verb.LEASES, Verb.LEASES.request());
    for (LeaseStatus lease : leases.getLeasesList()) {
      unary(channel, Verb.REVOKE, LeaseRevokeRequest.newBuilder().setID(lease.getID()).build());
    }
    if (used) {
      unary(channel, Verb.PUT, PutRequest.newBuilder().setKey(ZERO).build());
    }
    used = true;
    Message deleted =
        unary(
            channel,
            Verb.DELETE,
            DeleteRangeRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO).build());
    return headerRevision(deleted);
  }

  private static Message unary(Channel channel, Verb verb, Message request) {
    return ClientCalls.blockingUnaryCall(channel, verb.method(), options(), request);
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static long headerRevision(Message answer) {
    var field = answer.getDescriptorForType().findFieldByName("header");
    return field != null && answer.getField(field) instanceof ResponseHeader header
        ? header.getRevision()
        : 0;
  }

  /// One program under way.
  private final class Run {
    private final long base;
    private long current;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Map<String, WatchStream> watches = new LinkedHashMap<>();
    private final Map<String, KeepAliveStream> keepAlives = new LinkedHashMap<>();
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private final List<ClientCall<?, ?>> open = new ArrayList<>();

    Run(long base) {
      this.base = base;
      this.current = base;
    }

    Transcript play(List<Step> steps) throws InterruptedException {
      try {
        for (int i = 0; i < steps.size(); ) {
          i = readsFrom(steps, i);
          if (i < steps.size()) {
            outcomes.add(play(steps.get(i++)));
          }
        }
        settle();
        Map<String, List<WatchResponse>> streams = new LinkedHashMap<>();
        watches.forEach((name, stream) -> streams.put(name, stream.rest()));
        synchronized (violations) {
          return new Transcript(base, outcomes, streams, List.copyOf(violations));
        }
      } finally {
        open.forEach(call -> call.cancel("the program is over", null));
      }
    }

    /// Plays neighbouring reads at once: nothing changes between them.
    ///
    /// @return the index of the first step left to do
    private int readsFrom(List<Step> steps, int from) throws InterruptedException {
      List<Future<Message>> asked = new ArrayList<>();
      int i = from;
      while (i < steps.size()
          && asked.size() < READS_AT_ONCE
          && steps.get(i) instanceof Step.Call(Verb verb, Message request, var metadata)
          && verb.readOnly()
          && !verb.streaming()
          && metadata.isEmpty()) {
        Message absolute = Revisions.resolve(request, base, current);
        asked.add(
            ClientCalls.futureUnaryCall(
                target.channel().newCall(verb.method(), options()), absolute));
        i++;
      }
      for (Future<Message> one : asked) {
        try {
          outcomes.add(seen(Outcome.of(List.of(one.get()))));
        } catch (ExecutionException e) {
          outcomes.add(Outcome.of(Status.fromThrowable(e), List.of()));
        }
      }
      return i;
    }

    private Outcome play(Step step) throws InterruptedException {
      return switch (step) {
        case Step.Call(Verb verb, Message request, Map<String, String> metadata) ->
            seen(call(verb, Revisions.resolve(request, base, current), with(metadata)));
        case Step.Raw(String method, ByteString request) -> raw(method, request);
        case Step.Watch(String name, WatchRequest request, Map<String, String> metadata) ->
            seen(
                watches
                    .computeIfAbsent(name, n -> openWatch(n, with(metadata)))
                    .send((WatchRequest) Revisions.resolve(request, base, current)));
        case Step.Expect(String name, int answers) ->
            watches.get(name) instanceof WatchStream stream
                ? stream.expect(answers)
                : Outcome.of(List.of());
        case Step.KeepAlive(String name, LeaseKeepAliveRequest request) ->
            keepAlives.computeIfAbsent(name, _ -> openKeepAlive()).send(request);
        case Step.HalfClose(String name) ->
            watches.get(name) instanceof WatchStream stream
                ? stream.halfClose()
                : keepAlives.computeIfAbsent(name, _ -> openKeepAlive()).halfClose();
        case Step.Settle() -> settle();
        case Step.Sleep(int millis) -> {
          Thread.sleep(millis);
          yield Outcome.of(List.of());
        }
      };
    }

    private Channel with(Map<String, String> metadata) {
      if (metadata.isEmpty()) {
        return target.channel();
      }
      Metadata headers = new Metadata();
      metadata.forEach(
          (key, value) ->
              headers.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value));
      return ClientInterceptors.intercept(
          target.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private Outcome call(Verb verb, Message request, Channel channel) {
      List<Message> answers = new ArrayList<>();
      try {
        if (verb.streaming()) {
          Iterator<Message> all =
              ClientCalls.blockingServerStreamingCall(channel, verb.method(), options(), request);
          all.forEachRemaining(answers::add);
        } else {
          answers.add(unary(channel, verb, request));
        }
        return Outcome.of(answers);
      } catch (StatusRuntimeException e) {
        return Outcome.of(e.getStatus(), answers);
      }
    }

    private Outcome raw(String method, ByteString request) {
      MethodDescriptor<ByteString, ByteString> bytes = RawBytes.method(method);
      try {
        ByteString answer =
            ClientCalls.blockingUnaryCall(target.channel(), bytes, options(), request);
        return seen(Outcome.of(List.of(RawBytes.parse(method, answer))));
      } catch (StatusRuntimeException e) {
        return Outcome.of(e.getStatus(), List.of());
      }
    }

    private Outcome seen(Outcome outcome) {
      for (Message answer : outcome.answers()) {
        current = Math.max(current, headerRevision(answer));
      }
      return outcome;
    }

    private WatchStream openWatch(String name, Channel channel) {
      WatchStream stream = new WatchStream(name, violations);
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
    private Outcome settle() {
      TreeSet<ByteString> keys = new TreeSet<>(ByteString.unsignedLexicographicalComparator());
      watches.values().stream()
          .map(WatchStream::watchers)
          .flatMap(Collection::stream)
          .forEach(watcher -> keys.add(watcher.markerKey()));
      if (keys.isEmpty()) {
        return Outcome.of(List.of());
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
      Outcome put = seen(call(Verb.TXN, puts.build(), target.channel()));
      long revision = current;
      Outcome deleted = seen(call(Verb.TXN, deletes.build(), target.channel()));
      if (put.code() == Status.Code.OK && deleted.code() == Status.Code.OK) {
        watches.values().forEach(stream -> stream.settle(revision));
      }
      List<Message> answers = new ArrayList<>(put.answers());
      answers.addAll(deleted.answers());
      return put.code() != Status.Code.OK
          ? put
          : deleted.code() != Status.Code.OK ? deleted : Outcome.of(answers);
    }
  }
}
