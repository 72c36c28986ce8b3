package dev.etcdj.client.kv;

import com.google.protobuf.ByteString;
import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.client.transport.Retry;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import java.util.concurrent.CompletableFuture;

/// Reads and changes keys. Futures complete on an event loop, exceptionally with `EtcdException`.
///
/// A read is repeated when a member cannot answer. A change is repeated only when it was certainly
/// not sent: an UNAVAILABLE or DEADLINE_EXCEEDED of a change leaves its outcome unknown.
/// Thread: safe.
public final class Kv {
  private final Calls calls;

  /// Over `calls`; see `Client.kv`.
  public Kv(Calls calls) {
    this.calls = calls;
  }

  /// The same API with other settings.
  public Kv with(CallSettings settings) {
    return new Kv(calls.with(settings));
  }

  /// Reads a range.
  public CompletableFuture<GetResponse> get(GetRequest request) {
    return calls.unary(KVGrpc.getRangeMethod(), KvCodec.range(request), Retry.READ, KvCodec::got);
  }

  /// Reads one key.
  public CompletableFuture<GetResponse> get(ByteString key) {
    return get(GetRequest.of(KeyRange.single(key)));
  }

  /// Reads a range that the member sends in pieces, and returns it whole. The member holds one
  /// piece at a time, so large ranges cost it little memory. Not repeated on failure. What the
  /// stream does not offer, an order of one's own and bounds, is asked for with a plain get.
  public CompletableFuture<GetResponse> getStreamed(GetRequest request) {
    if (!request.sort().equals(GetRequest.Sort.NATURAL)
        || !request.bounds().equals(GetRequest.RevisionBounds.NONE)) {
      return get(request);
    }
    return StreamedGet.start(calls, KvCodec.range(request));
  }

  /// Sets a key.
  public CompletableFuture<PutResponse> put(PutRequest request) {
    return calls.unary(KVGrpc.getPutMethod(), KvCodec.put(request), Retry.WRITE, KvCodec::put);
  }

  /// Sets a key.
  public CompletableFuture<PutResponse> put(ByteString key, ByteString value) {
    return put(PutRequest.of(key, value));
  }

  /// Deletes a range.
  public CompletableFuture<DeleteResponse> delete(DeleteRequest request) {
    return calls.unary(
        KVGrpc.getDeleteRangeMethod(), KvCodec.delete(request), Retry.WRITE, KvCodec::deleted);
  }

  /// Runs a transaction.
  public CompletableFuture<TxnResponse> txn(TxnRequest request) {
    Retry retry = request.readOnly() ? Retry.READ : Retry.WRITE;
    return calls.unary(KVGrpc.getTxnMethod(), KvCodec.txn(request), retry, KvCodec::txn);
  }

  /// Gives up the history before `revision`.
  ///
  /// @param physical whether to answer only when the space has been freed
  public CompletableFuture<CompactResponse> compact(long revision, boolean physical) {
    return calls.unary(
        KVGrpc.getCompactMethod(),
        CompactionRequest.newBuilder().setRevision(revision).setPhysical(physical).build(),
        Retry.WRITE,
        wire -> new CompactResponse(ResponseHeader.of(wire.getHeader())));
  }
}
