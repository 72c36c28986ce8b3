package dev.etcdj.server.rpc;

import dev.etcdj.proto.etcdserverpb.WatchRequest;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;

/// `etcdserverpb.Watch`.
final class WatchService {
  private static final String NAME = "etcdserverpb.Watch";

  private final Core core;
  private final Gate gate;
  private final LeaderWatch leaderWatch;

  WatchService(Core core, Gate gate, LeaderWatch leaderWatch) {
    this.core = core;
    this.gate = gate;
    this.leaderWatch = leaderWatch;
  }

  ServerServiceDefinition definition() {
    return new ServiceBuilder(NAME, gate)
        .stream(
                MethodType.BIDI_STREAMING,
                "Watch",
                WatchRequest.getDefaultInstance(),
                (call, metadata) -> new WatchCall(core, call, metadata, leaderWatch))
            .build();
  }
}
