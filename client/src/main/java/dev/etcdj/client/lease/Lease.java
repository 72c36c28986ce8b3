package dev.etcdj.client.lease;

import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.client.transport.Retry;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseLeasesRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseStatus;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Leases: keys put on one vanish with it.
/// Thread: safe.
public final class Lease {
  private final Calls calls;
  private final KeepAlives keepAlives;

  /// Over `calls`; see `Client.lease`.
  public Lease(Calls calls, KeepAlives keepAlives) {
    this.calls = calls;
    this.keepAlives = keepAlives;
  }

  /// The same API with other settings.
  public Lease with(CallSettings settings) {
    return new Lease(calls.with(settings), keepAlives);
  }

  /// Makes a lease.
  ///
  /// @param id 0: the server picks one
  public CompletableFuture<LeaseGrantResponse> grant(long ttlSeconds, long id) {
    return calls.unary(
        LeaseGrpc.getLeaseGrantMethod(),
        LeaseGrantRequest.newBuilder().setTTL(ttlSeconds).setID(id).build(),
        Retry.WRITE,
        wire ->
            new LeaseGrantResponse(
                ResponseHeader.of(wire.getHeader()), wire.getID(), wire.getTTL(), wire.getError()));
  }

  /// Makes a lease with an id of the server's choice.
  public CompletableFuture<LeaseGrantResponse> grant(long ttlSeconds) {
    return grant(ttlSeconds, 0);
  }

  /// Ends a lease, and deletes its keys.
  public CompletableFuture<LeaseRevokeResponse> revoke(long id) {
    return calls.unary(
        LeaseGrpc.getLeaseRevokeMethod(),
        LeaseRevokeRequest.newBuilder().setID(id).build(),
        Retry.WRITE,
        wire -> new LeaseRevokeResponse(ResponseHeader.of(wire.getHeader())));
  }

  /// Asks what is left of a lease.
  public CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long id, boolean keys) {
    return calls.unary(
        LeaseGrpc.getLeaseTimeToLiveMethod(),
        LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(keys).build(),
        Retry.READ,
        wire ->
            new LeaseTimeToLiveResponse(
                ResponseHeader.of(wire.getHeader()),
                wire.getID(),
                wire.getTTL(),
                wire.getGrantedTTL(),
                List.copyOf(wire.getKeysList())));
  }

  /// Lists all leases.
  public CompletableFuture<LeaseListResponse> list() {
    return calls.unary(
        LeaseGrpc.getLeaseLeasesMethod(),
        LeaseLeasesRequest.getDefaultInstance(),
        Retry.READ,
        wire ->
            new LeaseListResponse(
                ResponseHeader.of(wire.getHeader()),
                wire.getLeasesList().stream().map(LeaseStatus::getID).toList()));
  }

  /// Renews a lease once.
  ///
  /// @return exceptionally with `requested lease not found` when it is gone
  public CompletableFuture<LeaseKeepAliveResponse> keepAliveOnce(long id) {
    return KeepAliveOnce.start(calls, id);
  }

  /// Renews a lease again and again until the handle is closed or the lease is gone.
  ///
  /// @param listener told of every renewal, on an event loop; it must not block
  public KeepAlive keepAlive(long id, Consumer<LeaseKeepAliveResponse> listener) {
    return keepAlives.add(id, listener);
  }
}
