package dev.etcdj.server.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.etcdj.mvcc.RangeQuery;
import dev.etcdj.mvcc.RangeResult;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.mvccpb.KeyValue;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.server.apply.Commands;
import dev.etcdj.server.read.ReadCallback;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One `RangeStream`: reads a chunk whenever the client has room for one, so nothing piles up and
/// no snapshot of the store is held meanwhile (KV-55..61). Lives on its [CallLoop].
final class RangeStreamCall extends ServerCall.Listener<Incoming<RangeRequest>>
    implements ReadCallback, Runnable {
  private static final long FIRST_CHUNK_KEYS = 10;

  private final Core core;
  private final ServerCall<Incoming<RangeRequest>, WireMessage> call;
  private final CallLoop loop = CallLoop.current();
  private @Nullable Incoming<RangeRequest> received;
  private @Nullable RangeQuery query;
  private boolean queued;
  private boolean closed;

  // Set by the first chunk: what is read, what the last chunk tells, and where to go on.
  private boolean begun;
  private long revision;
  private long headerRevision;
  private long count;
  private long left;
  private long chunkKeys = FIRST_CHUNK_KEYS;
  private ByteString from = ByteString.EMPTY;

  RangeStreamCall(Core core, ServerCall<Incoming<RangeRequest>, WireMessage> call) {
    this.core = core;
    this.call = call;
    call.request(2);
  }

  @Override
  public void onMessage(Incoming<RangeRequest> message) {
    received = message;
  }

  @Override
  public void onHalfClose() {
    RangeRequest request = received == null ? null : received.message();
    if (request == null) {
      close(Status.INTERNAL.withDescription("error unmarshalling request"));
      return;
    }
    try {
      Validation.rangeStream(request);
    } catch (EtcdException e) {
      close(Statuses.of(e));
      return;
    }
    query = Commands.query(request);
    if (request.getSerializable()) {
      begin();
    } else {
      core.reads().await(this);
    }
  }

  @Override
  public void ready() {
    loop.execute(this::begin);
  }

  @Override
  public void failed(EtcdException why) {
    loop.execute(() -> close(Statuses.of(why)));
  }

  private void begin() {
    RangeQuery asked = query;
    if (closed || asked == null) {
      return;
    }
    call.sendHeaders(new Metadata());
    from = asked.key();
    left = asked.limit() > 0 ? asked.limit() : Long.MAX_VALUE;
    onReady();
  }

  /// Waits for its turn: what is sent from here would make room, and so on without end.
  @Override
  public void onReady() {
    if (!queued) {
      queued = true;
      loop.enqueue(this);
    }
  }

  /// Sends a chunk if there is room for one.
  @Override
  public void run() {
    queued = false;
    RangeQuery asked = query;
    if (asked == null || from.isEmpty() || closed || !call.isReady()) {
      return;
    }
    try {
      sendChunk(asked);
      onReady();
    } catch (EtcdException e) {
      close(Statuses.of(e));
    } catch (RuntimeException e) {
      close(Status.INTERNAL.withDescription("internal error"));
    }
  }

  private void sendChunk(RangeQuery asked) {
    long keys = Math.min(chunkKeys, left);
    RangeResult result = core.stores().kv().range(chunk(asked, keys));
    if (!begun) {
      begun = true;
      // An older revision stays as asked, the current one is pinned (KV-57).
      revision = asked.revision() > 0 ? asked.revision() : result.revision();
      headerRevision = result.revision();
      count = result.count();
    }
    List<byte[]> kvs = result.kvs();
    left -= kvs.size();
    boolean last = !result.more() || left == 0 || kvs.isEmpty();
    Replies.Range reply =
        last
            ? new Replies.Range(core.headers().encode(headerRevision), kvs, result.more(), count)
            : new Replies.Range(null, kvs, false, 0);
    call.sendMessage(Replies.Wrapped.chunk(reply));
    if (last) {
      close(Status.OK);
      return;
    }
    from = KeyRanges.after(keyOf(kvs.getLast()));
    adjust(reply.serializedSize());
  }

  private RangeQuery chunk(RangeQuery asked, long keys) {
    return new RangeQuery(
        from,
        asked.rangeEnd(),
        begun ? revision : asked.revision(),
        keys,
        RangeQuery.SortOrder.NONE,
        RangeQuery.SortTarget.KEY,
        asked.keysOnly(),
        asked.countOnly(),
        0,
        0,
        0,
        0);
  }

  /// KV-60.
  private void adjust(int bytes) {
    int target = core.limits().maxRequestBytes();
    if (bytes < target / 2) {
      chunkKeys = Math.min(chunkKeys * 2, Integer.MAX_VALUE);
    } else if (bytes > 2L * target) {
      chunkKeys = Math.max(1, chunkKeys / 2);
    }
  }

  /// The key in a wire-form `KeyValue`.
  private static ByteString keyOf(byte[] kv) {
    CodedInputStream in = CodedInputStream.newInstance(kv);
    try {
      while (!in.isAtEnd()) {
        int tag = in.readTag();
        if (WireFormat.getTagFieldNumber(tag) == KeyValue.KEY_FIELD_NUMBER) {
          return in.readBytes();
        }
        if (!in.skipField(tag)) {
          break;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("a stored value without a key");
  }

  @Override
  public void onCancel() {
    closed = true;
  }

  private void close(Status status) {
    if (!closed) {
      closed = true;
      call.close(status, new Metadata());
    }
  }
}
