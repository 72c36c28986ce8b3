package dev.etcdj.client.lease;

import dev.etcdj.client.transport.Calls;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Renews all leases of a client over one stream, each after a third of its time.
///
/// A broken stream is opened again, on whatever member is up, and every lease is renewed at once.
/// A lease whose renewals fail for its whole time is given up as lost; until its first answer its
/// time is unknown and it counts as ten seconds.
/// Thread: all state belongs to one event loop; callers and streams hand over to it.
public final class KeepAlives {
  private static final long REOPEN_MILLIS = 250;
  private static final long FIRST_TTL_SECONDS = 10;

  private final Calls calls;
  private final EventLoop loop;
  private final Map<Long, List<Handle>> handles = new HashMap<>();
  private @Nullable Stream stream;

  /// Over `calls`; opens nothing before the first lease.
  public KeepAlives(Calls calls) {
    this.calls = calls;
    this.loop = calls.transport().eventLoop();
  }

  KeepAlive add(long id, Consumer<LeaseKeepAliveResponse> listener) {
    Handle handle = new Handle(id, listener);
    loop.execute(
        () -> {
          handles.computeIfAbsent(id, key -> new ArrayList<>()).add(handle);
          handle.expireAfter(FIRST_TTL_SECONDS);
          if (stream == null) {
            open();
          } else {
            stream.renew(id);
          }
        });
    return handle;
  }

  private void open() {
    if (handles.isEmpty() || stream != null) {
      return;
    }
    Stream opened = new Stream(calls.stream(LeaseGrpc.getLeaseKeepAliveMethod()));
    stream = opened;
    opened.call.start(opened, new Metadata());
    opened.call.request(1);
    handles.keySet().forEach(opened::renew);
  }

  private void broken(Stream which) {
    if (which != stream) {
      return;
    }
    stream = null;
    if (calls.transport().closed()) {
      endAll();
      return;
    }
    loop.schedule(this::open, REOPEN_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void endAll() {
    List<Handle> all = new ArrayList<>();
    handles.values().forEach(all::addAll);
    all.forEach(handle -> handle.end(KeepAlive.End.CLOSED));
  }

  private void answered(LeaseKeepAliveResponse response) {
    List<Handle> concerned = List.copyOf(handles.getOrDefault(response.id(), List.of()));
    if (response.ttlSeconds() <= 0) {
      concerned.forEach(handle -> handle.end(KeepAlive.End.GONE));
      return;
    }
    for (Handle handle : concerned) {
      handle.expireAfter(response.ttlSeconds());
      handle.listener.accept(response);
    }
    if (!concerned.isEmpty()) {
      concerned.getFirst().renewAfter(response.ttlSeconds());
    }
  }

  /// One caller's interest in a lease.
  private final class Handle implements KeepAlive {
    private final long id;
    private final Consumer<LeaseKeepAliveResponse> listener;
    private final CompletableFuture<End> ended = new CompletableFuture<>();
    private @Nullable Future<?> renewal;
    private @Nullable Future<?> expiry;

    Handle(long id, Consumer<LeaseKeepAliveResponse> listener) {
      this.id = id;
      this.listener = listener;
    }

    @Override
    public long id() {
      return id;
    }

    @Override
    public CompletableFuture<End> ended() {
      return ended;
    }

    @Override
    public void close() {
      loop.execute(() -> end(End.CLOSED));
    }

    void expireAfter(long ttlSeconds) {
      stop(expiry);
      expiry = loop.schedule(() -> end(End.LOST), ttlSeconds, TimeUnit.SECONDS);
    }

    void renewAfter(long ttlSeconds) {
      stop(renewal);
      renewal =
          loop.schedule(
              () -> {
                if (stream != null && !ended.isDone()) {
                  stream.renew(id);
                }
              },
              TimeUnit.SECONDS.toMillis(ttlSeconds) / 3,
              TimeUnit.MILLISECONDS);
    }

    void end(End why) {
      if (ended.isDone()) {
        return;
      }
      stop(renewal);
      stop(expiry);
      List<Handle> others = handles.getOrDefault(id, new ArrayList<>());
      others.remove(this);
      if (others.isEmpty()) {
        handles.remove(id);
      } else if (stream != null) {
        stream.renew(id); // the renewals may have hung on the handle that left
      }
      if (handles.isEmpty() && stream != null) {
        stream.call.cancel("no lease left", null);
        stream = null;
      }
      ended.complete(why);
    }

    private static void stop(@Nullable Future<?> timer) {
      if (timer != null) {
        timer.cancel(false);
      }
    }
  }

  /// One stream; its callbacks come on a transport thread and hand over.
  private final class Stream
      extends ClientCall.Listener<dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse> {
    final ClientCall<LeaseKeepAliveRequest, dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse>
        call;

    Stream(
        ClientCall<LeaseKeepAliveRequest, dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse>
            call) {
      this.call = call;
    }

    void renew(long id) {
      call.sendMessage(LeaseKeepAliveRequest.newBuilder().setID(id).build());
    }

    @Override
    public void onMessage(dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse wire) {
      LeaseKeepAliveResponse response = LeaseKeepAliveResponse.of(wire);
      loop.execute(
          () -> {
            call.request(1);
            answered(response);
          });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      loop.execute(() -> broken(this));
    }
  }
}
