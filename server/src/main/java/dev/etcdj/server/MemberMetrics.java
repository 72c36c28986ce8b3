package dev.etcdj.server;

import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.server.apply.Stores;
import dev.etcdj.server.metrics.Metrics;
import dev.etcdj.server.metrics.ServerMetrics;
import dev.etcdj.server.metrics.StorageMetrics;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.replica.Replica;
import dev.etcdj.wal.WalWriter;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Binds what the parts know to the metrics' names. Values that somebody keeps anyway are read at
/// each scrape.
final class MemberMetrics implements WalWriter.WalMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(MemberMetrics.class);
  private static final long SLOW_FSYNC_NANOS = 1_000_000_000L;

  private final Metrics metrics;
  // Written by wal-sync, read at a scrape.
  private volatile long walBytes;

  MemberMetrics(Metrics metrics) {
    this.metrics = metrics;
    metrics.storage().diskWalWriteBytes.bind(() -> walBytes);
  }

  void bind(Replica replica) {
    RaftHandle raft = replica.raft();
    ServerMetrics server = metrics.server();
    server.hasLeader.bind(() -> raft.view().hasLeader() ? 1 : 0);
    server.isLeader.bind(() -> raft.view().isLeader() ? 1 : 0);
    server.proposalsCommitted.bind(() -> raft.view().committed());
    server.proposalsApplied.bind(replica.applier()::appliedIndex);
    server.proposalsPending.bind(replica.proposer()::pending);
    server.proposalsFailed.bind(replica.proposer()::failedTotal);
    server.leaderChangesSeen.bind(() -> raft.view().leaderChanges());
    server.slowReadIndexes.bind(replica.reads()::slowTotal);
    server.readIndexesFailed.bind(replica.reads()::failedTotal);
    server.quotaBackendBytes.bind(replica.quota()::bytes);
    Stores stores = replica.stores();
    StorageMetrics storage = metrics.storage();
    storage.mvccDbTotalSizeInBytes.bind(() -> stores.backend().sizeBytes());
    storage.mvccDbTotalSizeInUseInBytes.bind(() -> stores.backend().sizeInUseBytes());
    storage.mvccCurrentRevision.bind(() -> stores.kv().revision());
    storage.mvccWatcher.bind(replica.watches()::watcherCount);
    storage.mvccSlowWatcher.bind(replica.watches()::unsyncedCount);
  }

  /// Counts changes on their way to the watchers.
  KvStore.EventSink counting(KvStore.EventSink next) {
    StorageMetrics storage = metrics.storage();
    return (revision, events) -> {
      for (Event event : events) {
        (event.delete() ? storage.mvccDelete : storage.mvccPut).increment();
      }
      next.committed(revision, events);
    };
  }

  /// One step of the backend's thread, timed when it committed.
  BooleanSupplier timing(BooleanSupplier backendWork, LongSupplier nanoClock) {
    return () -> {
      long began = nanoClock.getAsLong();
      boolean committed = backendWork.getAsBoolean();
      if (committed) {
        metrics.storage().diskBackendCommitDuration.observe(nanoClock.getAsLong() - began);
      }
      return committed;
    };
  }

  @Override
  public void fsynced(long nanos) {
    metrics.storage().diskWalFsyncDuration.observe(nanos);
    if (nanos > SLOW_FSYNC_NANOS) {
      LOG.atWarn()
          .addKeyValue("took", nanos / 1_000_000 + "ms")
          .addKeyValue("expected-duration", "1s")
          .log("slow fdatasync");
    }
  }

  @Override
  public void wrote(long bytes) {
    walBytes += bytes;
  }
}
