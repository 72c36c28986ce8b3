package dev.etcdj.server.rpc;

import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.lease.LeaseRenewals;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/// One `LeaseKeepAlive` stream: one request under way, the next is taken when it is answered and
/// the client has room for the answer (LEASE-40). Lives on its [CallLoop].
final class KeepAliveCall extends ServerCall.Listener<Incoming<LeaseKeepAliveRequest>>
    implements LeaseRenewals.KeepAliveCallback, LeaderWatch.Stream {
  private final Core core;
  private final ServerCall<Incoming<LeaseKeepAliveRequest>, WireMessage> call;
  private final LeaderWatch leaderWatch;
  private final CallLoop loop = CallLoop.current();
  private boolean headersSent;
  private boolean underWay;
  private boolean halfClosed;
  private boolean wantsRequest;
  private boolean closed;

  // Of the request under way.
  private long leaseId;
  private @Nullable ResponseHeader header;

  KeepAliveCall(
      Core core,
      ServerCall<Incoming<LeaseKeepAliveRequest>, WireMessage> call,
      Metadata metadata,
      LeaderWatch leaderWatch) {
    this.core = core;
    this.call = call;
    this.leaderWatch = leaderWatch;
    if (Gate.needsLeader(metadata)) {
      leaderWatch.add(this);
    }
    call.request(1);
  }

  @Override
  public void onMessage(Incoming<LeaseKeepAliveRequest> message) {
    LeaseKeepAliveRequest request = message.message();
    if (request == null) {
      close(Status.INTERNAL.withDescription("error unmarshalling request: " + message.error()));
      return;
    }
    underWay = true;
    leaseId = request.getID();
    // Before the renewal: no client sees a lease renewed at a revision at which it was gone
    // already (LEASE-44).
    header = core.headers().message(core.stores().kv().revision());
    core.leases().keepAlive(leaseId, this);
  }

  @Override
  public void renewed(long ttlSeconds) {
    loop.execute(() -> answer(ttlSeconds));
  }

  @Override
  public void failed(EtcdException why) {
    loop.execute(() -> close(Statuses.of(why)));
  }

  private void answer(long ttlSeconds) {
    if (closed) {
      return;
    }
    underWay = false;
    LeaseKeepAliveResponse.Builder response =
        LeaseKeepAliveResponse.newBuilder().setID(leaseId).setTTL(ttlSeconds);
    if (header != null) {
      response.setHeader(header);
    }
    if (!headersSent) {
      headersSent = true;
      call.sendHeaders(new Metadata());
    }
    call.sendMessage(WireMessage.of(response.build()));
    if (halfClosed) {
      close(Status.OK);
    } else if (call.isReady()) {
      call.request(1);
    } else {
      wantsRequest = true;
    }
  }

  @Override
  public void onReady() {
    if (wantsRequest) {
      wantsRequest = false;
      call.request(1);
    }
  }

  @Override
  public void onHalfClose() {
    halfClosed = true;
    if (!underWay) {
      close(Status.OK);
    }
  }

  @Override
  public void onCancel() {
    closed = true;
    leaderWatch.remove(this);
  }

  @Override
  public void onComplete() {
    leaderWatch.remove(this);
  }

  @Override
  public void leaderLost() {
    loop.execute(() -> close(Statuses.of(RpcError.NO_LEADER)));
  }

  private void close(Status status) {
    if (!closed) {
      closed = true;
      call.close(status, new Metadata());
    }
  }
}
