package dev.etcdj.client.lease;

import java.util.concurrent.CompletableFuture;

/// A lease that is being kept alive; closing it stops the renewals and leaves the lease to expire.
public interface KeepAlive extends AutoCloseable {
  /// Why renewals ended.
  enum End {
    /// The server does not know the lease any more.
    GONE,
    /// No renewal came through for the lease's whole time: it is gone, or will be at once.
    LOST,
    /// The handle or the client was closed.
    CLOSED
  }

  /// The lease.
  long id();

  /// Completes when renewals end, never exceptionally; on an event loop.
  CompletableFuture<End> ended();

  @Override
  void close();
}
