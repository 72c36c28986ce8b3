package dev.etcdj.server.rpc;

import dev.etcdj.proto.etcdserverpb.WatchRequest;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;

/// `etcdserverpb.Watch`.
final class WatchService {
  private static final String NAME = "etcdserverpb.Watch";

  private final Core core;
  private final PackedMessages.Meter meter;
  private final Gate gate;
  private final LeaderWatch leaderWatch;

  /// @param meter told of messages that gRPC's own counting misses
  WatchService(Core core, PackedMessages.Meter meter, Gate gate, LeaderWatch leaderWatch) {
    this.core = core;
    this.meter = meter;
    this.gate = gate;
    this.leaderWatch = leaderWatch;
  }

  ServerServiceDefinition definition() {
    return new ServiceBuilder(NAME, gate)
        .stream(
                MethodType.BIDI_STREAMING,
                "Watch",
                WatchRequest.getDefaultInstance(),
                (call, metadata) -> new WatchCall(core, meter, call, metadata, leaderWatch))
            .build();
  }
}
