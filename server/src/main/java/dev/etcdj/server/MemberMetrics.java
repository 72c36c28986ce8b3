package dev.etcdj.server;

import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.watch.WatchHub;
import dev.etcdj.server.apply.Applier;
import dev.etcdj.server.apply.Quota;
import dev.etcdj.server.apply.Stores;
import dev.etcdj.server.metrics.Metrics;
import dev.etcdj.server.metrics.ServerMetrics;
import dev.etcdj.server.metrics.StorageMetrics;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.read.LinearizableReads;
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

  void bind(
      RaftHandle raft, Applier applier, Proposer proposer, LinearizableReads reads, Quota quota) {
    ServerMetrics server = metrics.server();
    server.hasLeader.bind(() -> raft.view().hasLeader() ? 1 : 0);
    server.isLeader.bind(() -> raft.view().isLeader() ? 1 : 0);
    server.proposalsCommitted.bind(() -> raft.view().committed());
    server.proposalsApplied.bind(applier::appliedIndex);
    server.proposalsPending.bind(proposer::pending);
    server.proposalsFailed.bind(proposer::failedTotal);
    server.leaderChangesSeen.bind(() -> raft.view().leaderChanges());
    server.slowReadIndexes.bind(reads::slowTotal);
    server.readIndexesFailed.bind(reads::failedTotal);
    server.quotaBackendBytes.bind(quota::bytes);
  }

  void bind(Stores stores, WatchHub watches) {
    StorageMetrics storage = metrics.storage();
    storage.mvccDbTotalSizeInBytes.bind(() -> stores.backend().sizeBytes());
    storage.mvccDbTotalSizeInUseInBytes.bind(() -> stores.backend().sizeInUseBytes());
    storage.mvccCurrentRevision.bind(() -> stores.kv().revision());
    storage.mvccWatcher.bind(watches::watcherCount);
    storage.mvccSlowWatcher.bind(watches::unsyncedCount);
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
