package dev.etcdj.server.raftnode;

import java.util.concurrent.CompletableFuture;

/// Makes the store durable so that the log before it can go.
@FunctionalInterface
public interface Checkpointer {
  /// Commits the store and completes with the last applied point that is durable for certain.
  CompletableFuture<Checkpoint> checkpoint();
}
