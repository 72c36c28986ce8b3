package dev.etcdj.client.kv;

import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.Errors;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.RangeStreamResponse;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Puts the pieces of a RangeStream together: pairs follow one another; header, `more` and `count`
/// are those of the piece that has them, the last one.
final class StreamedGet extends ClientCall.Listener<RangeStreamResponse> {
  private final ClientCall<RangeRequest, RangeStreamResponse> call;
  private final CompletableFuture<GetResponse> future = new CompletableFuture<>();
  private final List<KeyValue> pairs = new ArrayList<>();
  private ResponseHeader header = ResponseHeader.NONE;
  private boolean more;
  private long count;

  private StreamedGet(ClientCall<RangeRequest, RangeStreamResponse> call) {
    this.call = call;
  }

  static CompletableFuture<GetResponse> start(Calls calls, RangeRequest request) {
    StreamedGet get = new StreamedGet(calls.boundedStream(KVGrpc.getRangeStreamMethod()));
    get.call.start(get, new Metadata());
    get.call.request(1);
    get.call.sendMessage(request);
    get.call.halfClose();
    return get.future;
  }

  @Override
  public void onMessage(RangeStreamResponse message) {
    RangeResponse piece = message.getRangeResponse();
    for (dev.etcdj.proto.mvccpb.KeyValue pair : piece.getKvsList()) {
      pairs.add(KeyValue.of(pair));
    }
    if (piece.hasHeader()) {
      header = ResponseHeader.of(piece.getHeader());
    }
    more |= piece.getMore();
    count = Math.max(count, piece.getCount());
    call.request(1);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (status.isOk()) {
      future.complete(new GetResponse(header, List.copyOf(pairs), more, count));
    } else {
      future.completeExceptionally(Errors.of(status));
    }
  }
}
