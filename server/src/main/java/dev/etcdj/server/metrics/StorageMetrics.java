package dev.etcdj.server.metrics;

/// What log, store and watches count. Any thread.
public final class StorageMetrics {
  /// Nanoseconds. Fsync of the log.
  public final Histogram diskWalFsyncDuration;
  /// Nanoseconds. Write of the log.
  public final Histogram diskWalWriteDuration;
  /// Bytes written to the log.
  public final Gauge diskWalWriteBytes;
  /// Nanoseconds. Commit of the store.
  public final Histogram diskBackendCommitDuration;
  /// Nanoseconds. Sending a store snapshot.
  public final Histogram diskBackendSnapshotDuration;
  /// Nanoseconds. Defragmentation.
  public final Histogram diskBackendDefragDuration;
  /// 1 while defragmenting.
  public final Gauge diskDefragInflight;
  /// Ranges applied or served by this member.
  public final Counter mvccRange;
  /// Puts applied or served by this member.
  public final Counter mvccPut;
  /// Deletes applied or served by this member.
  public final Counter mvccDelete;
  /// Transactions applied or served by this member.
  public final Counter mvccTxn;
  /// Allocated size of the store.
  public final Gauge mvccDbTotalSizeInBytes;
  /// Size in use.
  public final Gauge mvccDbTotalSizeInUseInBytes;
  /// Open read transactions.
  public final Gauge mvccDbOpenReadTransactions;
  /// Nanoseconds. Whole-store hash.
  public final Histogram mvccHashDuration;
  /// Nanoseconds. Hash up to a revision.
  public final Histogram mvccHashRevDuration;
  /// Nanoseconds. Fsync of a raft snapshot file.
  public final Histogram snapFsyncDuration;
  /// Nanoseconds. Fsync of a received store file.
  public final Histogram snapDbFsyncDuration;
  /// Nanoseconds. Saving a received store file.
  public final Histogram snapDbSaveTotalDuration;
  /// Nanoseconds. Bbolt rebalance part of a commit.
  public final Histogram diskBackendCommitRebalanceDuration;
  /// Nanoseconds. Bbolt spill part.
  public final Histogram diskBackendCommitSpillDuration;
  /// Nanoseconds. Bbolt write part.
  public final Histogram diskBackendCommitWriteDuration;
  /// Live keys.
  public final Gauge mvccKeys;
  /// Watch streams.
  public final Gauge mvccWatchStream;
  /// Watchers.
  public final Gauge mvccWatcher;
  /// Watchers not in sync.
  public final Gauge mvccSlowWatcher;
  /// Events sent.
  public final Counter mvccEvents;
  /// Events waiting.
  public final Gauge mvccPendingEvents;
  /// Nanoseconds. Pause of an index compaction.
  public final Histogram mvccIndexCompactionPauseDuration;
  /// Nanoseconds. Pause of each store compaction batch.
  public final Histogram mvccDbCompactionPauseDuration;
  /// Nanoseconds. Whole store compaction.
  public final Histogram mvccDbCompactionTotalDuration;
  /// Time of the last store compaction, 0 at start.
  public final Gauge mvccDbCompactionLast;
  /// Revisions removed.
  public final Counter mvccDbCompactionKeys;
  /// Current revision.
  public final Gauge mvccCurrentRevision;
  /// Last compacted revision (-1 before the first in 3.4).
  public final Gauge mvccCompactRevision;
  /// Sum of key and value sizes put.
  public final Gauge mvccTotalPutSizeInBytes;
  /// Nanoseconds. Encoding a raft snapshot.
  public final Histogram snapSaveMarshallingDuration;
  /// Nanoseconds. Saving a raft snapshot.
  public final Histogram snapSaveTotalDuration;

  StorageMetrics(Registry registry) {
    diskWalFsyncDuration =
        registry.histogram(
            "etcd_disk_wal_fsync_duration_seconds",
            "The latency distributions of fsync called by WAL.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    diskWalWriteDuration =
        registry.histogram(
            "etcd_disk_wal_write_duration_seconds",
            "The latency distributions of write called by WAL.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    diskWalWriteBytes =
        registry.gauge("etcd_disk_wal_write_bytes_total", "Total number of bytes written in WAL.");
    diskBackendCommitDuration =
        registry.histogram(
            "etcd_disk_backend_commit_duration_seconds",
            "The latency distributions of commit called by backend.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    diskBackendSnapshotDuration =
        registry.histogram(
            "etcd_disk_backend_snapshot_duration_seconds",
            "The latency distribution of backend snapshots.",
            Histogram.SECONDS,
            Histogram.exponential(0.01, 2, 17));
    diskBackendDefragDuration =
        registry.histogram(
            "etcd_disk_backend_defrag_duration_seconds",
            "The latency distribution of backend defragmentation.",
            Histogram.SECONDS,
            Histogram.exponential(0.1, 2, 13));
    diskDefragInflight =
        registry.gauge(
            "etcd_disk_defrag_inflight",
            "Whether or not defrag is active on the member. 1 means active, 0 means not.");
    mvccRange =
        registry.counter("etcd_mvcc_range_total", "Total number of ranges seen by this member.");
    mvccPut = registry.counter("etcd_mvcc_put_total", "Total number of puts seen by this member.");
    mvccDelete =
        registry.counter("etcd_mvcc_delete_total", "Total number of deletes seen by this member.");
    mvccTxn = registry.counter("etcd_mvcc_txn_total", "Total number of txns seen by this member.");
    mvccDbTotalSizeInBytes =
        registry.gauge(
            "etcd_mvcc_db_total_size_in_bytes",
            "Total size of the underlying database physically allocated in bytes.");
    mvccDbTotalSizeInUseInBytes =
        registry.gauge(
            "etcd_mvcc_db_total_size_in_use_in_bytes",
            "Total size of the underlying database logically in use in bytes.");
    mvccDbOpenReadTransactions =
        registry.gauge(
            "etcd_mvcc_db_open_read_transactions",
            "The number of currently open read transactions");
    mvccHashDuration =
        registry.histogram(
            "etcd_mvcc_hash_duration_seconds",
            "The latency distribution of storage hash operation.",
            Histogram.SECONDS,
            Histogram.exponential(0.01, 2, 15));
    mvccHashRevDuration =
        registry.histogram(
            "etcd_mvcc_hash_rev_duration_seconds",
            "The latency distribution of storage hash by revision operation.",
            Histogram.SECONDS,
            Histogram.exponential(0.01, 2, 15));
    snapFsyncDuration =
        registry.histogram(
            "etcd_snap_fsync_duration_seconds",
            "The latency distributions of fsync called by snap.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    snapDbFsyncDuration =
        registry.histogram(
            "etcd_snap_db_fsync_duration_seconds",
            "The latency distributions of fsyncing .snap.db file",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    snapDbSaveTotalDuration =
        registry.histogram(
            "etcd_snap_db_save_total_duration_seconds",
            "The total latency distributions of v3 snapshot save",
            Histogram.SECONDS,
            Histogram.exponential(0.1, 2, 10));
    diskBackendCommitRebalanceDuration =
        registry.histogram(
            "etcd_debugging_disk_backend_commit_rebalance_duration_seconds",
            "The latency distributions of commit.rebalance called by bboltdb backend.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    diskBackendCommitSpillDuration =
        registry.histogram(
            "etcd_debugging_disk_backend_commit_spill_duration_seconds",
            "The latency distributions of commit.spill called by bboltdb backend.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    diskBackendCommitWriteDuration =
        registry.histogram(
            "etcd_debugging_disk_backend_commit_write_duration_seconds",
            "The latency distributions of commit.write called by bboltdb backend.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    mvccKeys = registry.gauge("etcd_debugging_mvcc_keys_total", "Total number of keys.");
    mvccWatchStream =
        registry.gauge("etcd_debugging_mvcc_watch_stream_total", "Total number of watch streams.");
    mvccWatcher = registry.gauge("etcd_debugging_mvcc_watcher_total", "Total number of watchers.");
    mvccSlowWatcher =
        registry.gauge(
            "etcd_debugging_mvcc_slow_watcher_total", "Total number of unsynced slow watchers.");
    mvccEvents =
        registry.counter(
            "etcd_debugging_mvcc_events_total", "Total number of events sent by this member.");
    mvccPendingEvents =
        registry.gauge(
            "etcd_debugging_mvcc_pending_events_total",
            "Total number of pending events to be sent.");
    mvccIndexCompactionPauseDuration =
        registry.histogram(
            "etcd_debugging_mvcc_index_compaction_pause_duration_milliseconds",
            "Bucketed histogram of index compaction pause duration.",
            Histogram.MILLIS,
            Histogram.exponential(0.5, 2, 14));
    mvccDbCompactionPauseDuration =
        registry.histogram(
            "etcd_debugging_mvcc_db_compaction_pause_duration_milliseconds",
            "Bucketed histogram of db compaction pause duration.",
            Histogram.MILLIS,
            Histogram.exponential(1, 2, 13));
    mvccDbCompactionTotalDuration =
        registry.histogram(
            "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds",
            "Bucketed histogram of db compaction total duration.",
            Histogram.MILLIS,
            Histogram.exponential(100, 2, 14));
    mvccDbCompactionLast =
        registry.gauge(
            "etcd_debugging_mvcc_db_compaction_last",
            "The unix time of the last db compaction. Resets to 0 on start.");
    mvccDbCompactionKeys =
        registry.counter(
            "etcd_debugging_mvcc_db_compaction_keys_total", "Total number of db keys compacted.");
    mvccCurrentRevision =
        registry.gauge("etcd_debugging_mvcc_current_revision", "The current revision of store.");
    mvccCompactRevision =
        registry.gauge(
            "etcd_debugging_mvcc_compact_revision",
            "The revision of the last compaction in store.");
    mvccTotalPutSizeInBytes =
        registry.gauge(
            "etcd_debugging_mvcc_total_put_size_in_bytes",
            "The total size of put kv pairs seen by this member.");
    snapSaveMarshallingDuration =
        registry.histogram(
            "etcd_debugging_snap_save_marshalling_duration_seconds",
            "The marshalling cost distributions of save called by snapshot.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    snapSaveTotalDuration =
        registry.histogram(
            "etcd_debugging_snap_save_total_duration_seconds",
            "The total latency distributions of save called by snapshot.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
  }
}
