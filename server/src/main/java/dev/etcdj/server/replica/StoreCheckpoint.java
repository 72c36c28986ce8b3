package dev.etcdj.server.replica;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.server.apply.ApplyLoop;
import dev.etcdj.server.membership.ClusterMembership;
import dev.etcdj.server.raftnode.Checkpoint;
import dev.etcdj.server.raftnode.Checkpointer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Makes the store durable at a point that the apply loop has reached: the commit that follows
/// covers at least that point.
record StoreCheckpoint(
    Supplier<ApplyLoop> applyLoop, Backend backend, Supplier<ClusterMembership> membership)
    implements Checkpointer {
  @Override
  public CompletableFuture<Checkpoint> checkpoint() {
    return applyLoop
        .get()
        .atBoundary(
            point ->
                new Checkpoint(
                    point.index(),
                    point.term(),
                    ClusterMembership.confState(membership.get().members())))
        .thenCompose(checkpoint -> backend.commit().thenApply(_ -> checkpoint));
  }
}
