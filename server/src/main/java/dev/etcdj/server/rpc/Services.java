package dev.etcdj.server.rpc;

import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.List;

/// All gRPC services of the client port. Serve them with a direct executor: no handler blocks.
/// Services that are not in it answer UNIMPLEMENTED.
public final class Services {
  private final HealthStatusManager health = new HealthStatusManager();
  private final List<ServerServiceDefinition> definitions;
  private final Probes probes;

  /// @param watchMeter told of watch responses that gRPC's own counting misses
  public Services(Core core, PackedMessages.Meter watchMeter) {
    Gate gate = new Gate(core.membership(), core.raft());
    LeaderWatch leaderWatch =
        new LeaderWatch(core.raft(), core.timers(), core.limits().electionTimeoutNanos());
    probes = new Probes(core);
    BindableService healthService = health.getHealthService();
    definitions =
        List.of(
            new KvService(core, gate).definition(),
            new WatchService(core, watchMeter, gate, leaderWatch).definition(),
            new LeaseService(core, gate, leaderWatch).definition(),
            new ClusterService(core, gate).definition(),
            new MaintenanceService(core, gate, probes).definition(),
            healthService.bindService());
    setServing(false);
  }

  public List<ServerServiceDefinition> definitions() {
    return definitions;
  }

  public Probes probes() {
    return probes;
  }

  /// What the gRPC health service says of the server as a whole (MAINT-111).
  public void setServing(boolean serving) {
    health.setStatus(
        HealthStatusManager.SERVICE_NAME_ALL_SERVICES,
        serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
  }
}
