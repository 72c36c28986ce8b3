package dev.etcdj.server.rpc;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.proto.etcdserverpb.AlarmRequest;
import dev.etcdj.proto.etcdserverpb.AlarmResponse;
import dev.etcdj.proto.etcdserverpb.HashKVRequest;
import dev.etcdj.proto.etcdserverpb.HashKVResponse;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.StatusRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.apply.ApplyResult;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.atomic.AtomicInteger;

/// `etcdserverpb.Maintenance`: so far Status, HashKV and Alarm.
final class MaintenanceService {
  private static final String NAME = "etcdserverpb.Maintenance";
  private static final int MAX_HASHING = 4;

  private final Core core;
  private final Gate gate;
  private final Probes probes;
  private final AtomicInteger hashing = new AtomicInteger();

  MaintenanceService(Core core, Gate gate, Probes probes) {
    this.core = core;
    this.gate = gate;
    this.probes = probes;
  }

  ServerServiceDefinition definition() {
    return new ServiceBuilder(NAME, gate)
        .unary(
            "Status",
            StatusRequest.getDefaultInstance(),
            Gate.OnLearner.SERVED,
            (call, _) -> call.reply(probes.status()))
        .unary("HashKV", HashKVRequest.getDefaultInstance(), Gate.OnLearner.REFUSED, this::hashKv)
        .unary("Alarm", AlarmRequest.getDefaultInstance(), Gate.OnLearner.REFUSED, new Alarm())
        .build();
  }

  /// MAINT-12. Walks the whole store: on a virtual thread of its own. Beyond the limit a call is
  /// refused with "too many requests".
  private void hashKv(UnaryCall<HashKVRequest> call, HashKVRequest request) {
    if (hashing.incrementAndGet() > MAX_HASHING) {
      hashing.decrementAndGet();
      throw RpcError.REQUEST_TOO_MANY_REQUESTS.exception();
    }
    Thread.ofVirtual()
        .name("hash-kv")
        .start(
            () -> {
              try {
                KvStore.HashResult hash = core.stores().kv().hash(request.getRevision());
                call.loop().execute(() -> call.reply(answer(hash)));
              } catch (EtcdException e) {
                call.failed(e);
              } catch (RuntimeException e) {
                call.loop().execute(() -> call.guarded(() -> throwAgain(e)));
              } finally {
                hashing.decrementAndGet();
              }
            });
  }

  private static void throwAgain(RuntimeException e) {
    throw e;
  }

  private HashKVResponse answer(KvStore.HashResult hash) {
    return HashKVResponse.newBuilder()
        .setHeader(core.headers().message(hash.currentRevision()))
        .setHash(hash.hash())
        .setCompactRevision(hash.compactRevision())
        .setHashRevision(hash.hashRevision())
        .build();
  }

  private final class Alarm implements UnaryMethod<AlarmRequest> {
    @Override
    public void start(UnaryCall<AlarmRequest> call, AlarmRequest request) {
      if (request.getAction() == AlarmRequest.AlarmAction.UNRECOGNIZED) {
        throw new EtcdException(RpcError.Code.INVALID_ARGUMENT, "etcdserver: unknown alarm action");
      }
      call.waitsFor(core.proposer().propose(InternalRaftRequest.ALARM_FIELD_NUMBER, request, call));
    }

    @Override
    public void applied(UnaryCall<AlarmRequest> call, ApplyResult result) {
      if (!(result instanceof ApplyResult.Alarms alarms)) {
        throw new IllegalStateException("an alarm request came to " + result);
      }
      call.reply(
          AlarmResponse.newBuilder()
              .setHeader(core.headers().message(alarms.revision()))
              .addAllAlarms(alarms.alarms())
              .build());
    }
  }
}
