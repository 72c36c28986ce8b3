package dev.etcdj.server.metrics;

/// What the member as a whole counts: leadership, proposals, requests, health. Any thread.
public final class ServerMetrics {
  /// 1 while this member knows a leader.
  public final Gauge hasLeader;
  /// 1 while this member leads.
  public final Gauge isLeader;
  /// 1 while this member is a learner.
  public final Gauge isLearner;
  /// Leader changes this member saw since start.
  public final Counter leaderChangesSeen;
  /// Refused learner promotions on the leader.
  public final Vec<Counter> learnerPromoteFailures;
  /// Done learner promotions on the leader.
  public final Counter learnerPromoteSuccesses;
  /// Heartbeats the leader sent late.
  public final Counter heartbeatSendFailures;
  /// 1 while an incoming snapshot is applied.
  public final Gauge snapshotApplyInProgress;
  /// Raft commit index as seen here.
  public final Gauge proposalsCommitted;
  /// Raft applied index.
  public final Gauge proposalsApplied;
  /// Proposals waiting for commit.
  public final Gauge proposalsPending;
  /// Proposals that failed or timed out.
  public final Counter proposalsFailed;
  /// Applies slower than warning-apply-duration.
  public final Counter slowApply;
  /// Linearizable reads whose read index was late.
  public final Counter slowReadIndexes;
  /// Failed read-index rounds.
  public final Counter readIndexesFailed;
  /// Nanoseconds. Time of one apply; version v3; op Put, DeleteRange, Txn, Compaction, LeaseGrant,
  // Authenticate, …; success true|false.
  public final Vec<Histogram> applyDuration;
  /// Nanoseconds. Time of one range.
  public final Vec<Histogram> rangeDuration;
  /// Nanoseconds. Time of a request inside the server by type.
  public final Vec<Histogram> requestDuration;
  /// Quota in force.
  public final Gauge quotaBackendBytes;
  /// /health answers that were true.
  public final Counter healthSuccess;
  /// /health answers that were not.
  public final Counter healthFailures;
  /// Last result of each livez/readyz check (type livez|readyz, name
  // data_corruption|serializable_read|linearizable_read|non_learner).
  public final Vec<Gauge> healthcheck;
  /// Livez/readyz checks by status success|error.
  public final Vec<Counter> healthchecks;
  /// Revision of the auth store.
  public final Gauge authRevision;
  /// Leases granted.
  public final Counter leaseGranted;
  /// Leases revoked.
  public final Counter leaseRevoked;
  /// Renewals on the leader.
  public final Counter leaseRenewed;
  /// Granted TTLs.
  public final Histogram leaseTtl;
  /// Expired leases.
  public final Counter leaseExpired;
  /// Alarm per member; labels server_id (hex), alarm_type (3.6).
  public final Vec<Gauge> alarms;
  /// Nanoseconds. Sending one batch of watch events (3.7).
  public final Histogram watchSendLoopWatchStreamDuration;
  /// Nanoseconds. The same per event (3.7).
  public final Histogram watchSendLoopWatchStreamDurationPerEvent;
  /// Nanoseconds. Sending a watch control answer (3.7).
  public final Histogram watchSendLoopControlStreamDuration;
  /// Nanoseconds. Sending progress notifications (3.7).
  public final Histogram watchSendLoopProgressDuration;

  ServerMetrics(Registry registry) {
    hasLeader =
        registry.gauge(
            "etcd_server_has_leader", "Whether or not a leader exists. 1 is existence, 0 is not.");
    isLeader =
        registry.gauge(
            "etcd_server_is_leader",
            "Whether or not this member is a leader. 1 if is, 0 otherwise.");
    isLearner =
        registry.gauge(
            "etcd_server_is_learner",
            "Whether or not this member is a learner. 1 if is, 0 otherwise.");
    leaderChangesSeen =
        registry.counter(
            "etcd_server_leader_changes_seen_total", "The number of leader changes seen.");
    learnerPromoteFailures =
        registry.counters(
            "etcd_server_learner_promote_failures",
            "The total number of failed learner promotions (likely learner not ready) while this member is leader.",
            "Reason");
    learnerPromoteSuccesses =
        registry.counter(
            "etcd_server_learner_promote_successes",
            "The total number of successful learner promotions while this member is leader.");
    heartbeatSendFailures =
        registry.counter(
            "etcd_server_heartbeat_send_failures_total",
            "The total number of leader heartbeat send failures (likely overloaded from slow disk).");
    snapshotApplyInProgress =
        registry.gauge(
            "etcd_server_snapshot_apply_in_progress_total",
            "1 if the server is applying the incoming snapshot. 0 if none.");
    proposalsCommitted =
        registry.gauge(
            "etcd_server_proposals_committed_total",
            "The total number of consensus proposals committed.");
    proposalsApplied =
        registry.gauge(
            "etcd_server_proposals_applied_total",
            "The total number of consensus proposals applied.");
    proposalsPending =
        registry.gauge(
            "etcd_server_proposals_pending", "The current number of pending proposals to commit.");
    proposalsFailed =
        registry.counter(
            "etcd_server_proposals_failed_total", "The total number of failed proposals seen.");
    slowApply =
        registry.counter(
            "etcd_server_slow_apply_total",
            "The total number of slow apply requests (likely overloaded from slow disk).");
    slowReadIndexes =
        registry.counter(
            "etcd_server_slow_read_indexes_total",
            "The total number of pending read indexes not in sync with leader's or timed out read index requests.");
    readIndexesFailed =
        registry.counter(
            "etcd_server_read_indexes_failed_total",
            "The total number of failed read indexes seen.");
    applyDuration =
        registry.histograms(
            "etcd_server_apply_duration_seconds",
            "The latency distributions of v2 apply called by backend.",
            Histogram.SECONDS,
            Histogram.exponential(0.0001, 2, 20),
            "version",
            "op",
            "success");
    rangeDuration =
        registry.histograms(
            "etcd_server_range_duration_seconds",
            "The latency distributions of txn.Range",
            Histogram.SECONDS,
            Histogram.exponential(0.0001, 2, 20),
            "success");
    requestDuration =
        registry.histograms(
            "etcd_server_request_duration_seconds",
            "Response latency distribution in seconds for each type.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14),
            "type",
            "success");
    quotaBackendBytes =
        registry.gauge(
            "etcd_server_quota_backend_bytes", "Current backend storage quota size in bytes.");
    healthSuccess =
        registry.counter(
            "etcd_server_health_success", "The total number of successful health checks");
    healthFailures =
        registry.counter("etcd_server_health_failures", "The total number of failed health checks");
    healthcheck =
        registry.gauges(
            "etcd_server_healthcheck", "The result of each kind of healthcheck.", "type", "name");
    healthchecks =
        registry.counters(
            "etcd_server_healthchecks_total",
            "The total number of each kind of healthcheck.",
            "type",
            "name",
            "status");
    authRevision =
        registry.gauge("etcd_debugging_auth_revision", "The current revision of auth store.");
    leaseGranted =
        registry.counter(
            "etcd_debugging_lease_granted_total", "The total number of granted leases.");
    leaseRevoked =
        registry.counter(
            "etcd_debugging_lease_revoked_total", "The total number of revoked leases.");
    leaseRenewed =
        registry.counter(
            "etcd_debugging_lease_renewed_total",
            "The number of renewed leases seen by the leader.");
    leaseTtl =
        registry.histogram(
            "etcd_debugging_lease_ttl_total",
            "Bucketed histogram of lease TTLs.",
            Histogram.PLAIN,
            Histogram.exponential(1, 2, 24));
    leaseExpired =
        registry.counter(
            "etcd_debugging_server_lease_expired_total", "The total number of expired leases.");
    alarms =
        registry.gauges(
            "etcd_debugging_server_alarms",
            "Alarms for every member in cluster. 1 for 'server_id' label with current ID. 2 for 'alarm_type' label with type of this alarm",
            "server_id",
            "alarm_type");
    watchSendLoopWatchStreamDuration =
        registry.histogram(
            "etcd_debugging_server_watch_send_loop_watch_stream_duration_seconds",
            "The total duration in seconds of running through the send loop watch stream response all events.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    watchSendLoopWatchStreamDurationPerEvent =
        registry.histogram(
            "etcd_debugging_server_watch_send_loop_watch_stream_duration_per_event_seconds",
            "The average duration in seconds of running through the send loop watch stream response, per event.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    watchSendLoopControlStreamDuration =
        registry.histogram(
            "etcd_debugging_server_watch_send_loop_control_stream_duration_seconds",
            "The total duration in seconds of running through the send loop control stream response.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
    watchSendLoopProgressDuration =
        registry.histogram(
            "etcd_debugging_server_watch_send_loop_progress_duration_seconds",
            "The total duration in seconds of running through the progress loop control stream response.",
            Histogram.SECONDS,
            Histogram.exponential(0.001, 2, 14));
  }
}
