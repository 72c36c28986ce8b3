package dev.etcdj.client.maintenance;

import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.client.transport.Retry;
import dev.etcdj.client.transport.Transport;
import dev.etcdj.proto.etcdserverpb.AlarmRequest;
import dev.etcdj.proto.etcdserverpb.HashKVRequest;
import dev.etcdj.proto.etcdserverpb.MaintenanceGrpc;
import dev.etcdj.proto.etcdserverpb.StatusRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// How members are doing. What concerns one member is asked of that member, over a connection of
/// its own that lasts for the one question.
/// Thread: safe.
public final class Maintenance {
  private final Calls calls;

  /// Over `calls`; see `Client.maintenance`.
  public Maintenance(Calls calls) {
    this.calls = calls;
  }

  /// The same API with other settings.
  public Maintenance with(CallSettings settings) {
    return new Maintenance(calls.with(settings));
  }

  /// State of the member at `endpoint`.
  public CompletableFuture<StatusResponse> status(String endpoint) {
    return ask(
        endpoint,
        member ->
            member.unary(
                MaintenanceGrpc.getStatusMethod(),
                StatusRequest.getDefaultInstance(),
                Retry.READ,
                StatusResponse::of));
  }

  /// Hash of the history that the member at `endpoint` has, up to `revision`; 0: all of it.
  public CompletableFuture<HashKvResponse> hashKv(String endpoint, long revision) {
    return ask(
        endpoint,
        member ->
            member.unary(
                MaintenanceGrpc.getHashKVMethod(),
                HashKVRequest.newBuilder().setRevision(revision).build(),
                Retry.READ,
                wire ->
                    new HashKvResponse(
                        ResponseHeader.of(wire.getHeader()),
                        Integer.toUnsignedLong(wire.getHash()),
                        wire.getCompactRevision(),
                        wire.getHashRevision())));
  }

  /// The alarms raised in the cluster.
  public CompletableFuture<AlarmResponse> alarms() {
    return calls.unary(
        MaintenanceGrpc.getAlarmMethod(),
        AlarmRequest.newBuilder().setAction(AlarmRequest.AlarmAction.GET).build(),
        Retry.READ,
        wire ->
            new AlarmResponse(
                ResponseHeader.of(wire.getHeader()),
                wire.getAlarmsList().stream()
                    .map(alarm -> new Alarm(alarm.getMemberID(), alarm.getAlarm().name()))
                    .toList()));
  }

  private <T> CompletableFuture<T> ask(
      String endpoint, Function<Calls, CompletableFuture<T>> question) {
    Transport member = calls.transport().to(endpoint);
    return question.apply(member.calls(calls.settings())).whenComplete((a, e) -> member.close());
  }
}
