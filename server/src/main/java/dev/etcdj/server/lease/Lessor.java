package dev.etcdj.server.lease;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.mvcc.LeaseBook;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.RowKeys;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.server.raftnode.RaftView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The leases of the cluster as this member has applied them, and, on the leader alone, when each
/// expires. Records change by apply only; expiry times live in memory and move by keepalives.
///
/// Thread-safe: one lock, a leaf (nothing is called while it is held). The attachments of keys
/// belong to the apply loop, which reads them without the lock.
public final class Lessor implements LeaseBook {
  /// Longest TTL (LEASE-12).
  public static final long MAX_TTL_SECONDS = 9_000_000_000L;

  private static final long NANOS = 1_000_000_000L;
  // A new primary spreads expiries when there are this many leases (LEASE-76) …
  private static final int SPREAD_FROM = 1_000;
  // … so that no more than these fall due in a second.
  private static final long SPREAD_PER_SECOND = 750;

  private final LongSupplier nanoClock;
  private final long minTtlSeconds;
  private final long electionTimeoutNanos;

  // The next four are guarded by this.
  private final Map<Long, Lease> leases = new HashMap<>();
  private final LeaseQueue queue = new LeaseQueue();
  private boolean primary;
  private long primaryTerm;

  // Term this member leads or last led and lost; guarded by this. A promotion that was decided
  // before the loss became known must not come after it.
  private long ledTerm;
  private long lostTerm;

  // Apply loop only. Its keys are copies, so that no entry's whole data is kept by a key in it.
  private final Map<ByteString, Lease> leaseByKey = new HashMap<>();

  /// @param minTtlSeconds shortest TTL, to which shorter ones are raised (LEASE-13)
  public Lessor(LongSupplier nanoClock, long minTtlSeconds, long electionTimeoutNanos) {
    this.nanoClock = nanoClock;
    this.minTtlSeconds = minTtlSeconds;
    this.electionTimeoutNanos = electionTimeoutNanos;
  }

  /// The minimum that goes with an election timeout: one and a half of it, in whole seconds,
  /// rounded up (LIM-60).
  public static long minTtlSeconds(long electionMillis) {
    return (electionMillis * 3 / 2 + 999) / 1_000;
  }

  /// Replaces everything by the records in `view` (LEASE-95). Keys are attached by whoever opens
  /// the key-value store over the same contents. Apply loop, or before it runs.
  public void load(ReadView view) {
    List<Renewal> stranded = new ArrayList<>();
    synchronized (this) {
      leases.values().forEach(lease -> stranded.addAll(lease.waiting));
      leases.clear();
      queue.clear();
      leaseByKey.clear();
      primary = false;
      primaryTerm = 0;
      view.scan(
          Bucket.LEASE,
          new byte[0],
          null,
          (_, value) -> {
            var stored = parse(value);
            long ttl = Math.max(stored.getTTL(), minTtlSeconds);
            leases.put(stored.getID(), new Lease(stored.getID(), ttl, stored.getRemainingTTL()));
            return true;
          });
    }
    stranded.forEach(renewal -> renewal.done(Renewed.NOT_PRIMARY, 0));
  }

  private static dev.etcdj.proto.leasepb.Lease parse(byte[] value) {
    try {
      return dev.etcdj.proto.leasepb.Lease.parseFrom(value);
    } catch (InvalidProtocolBufferException e) {
      throw new InvariantViolation("bucket lease holds a value that is no lease: " + e);
    }
  }

  // ---- changed by apply -------------------------------------------------------------------------

  @Override
  public boolean exists(long lease) {
    synchronized (this) {
      return leases.containsKey(lease);
    }
  }

  @Override
  public void attach(ByteString key, long lease) {
    if (lease == 0 && leaseByKey.isEmpty()) {
      return;
    }
    synchronized (this) {
      Lease before = leaseByKey.get(key);
      Lease after = lease == 0 ? null : leases.get(lease);
      if (before == after) {
        return;
      }
      if (before != null) {
        before.keys.remove(key);
        leaseByKey.remove(key);
      }
      if (after != null) {
        ByteString own = ByteString.copyFrom(key.asReadOnlyByteBuffer());
        after.keys.add(own);
        leaseByKey.put(own, after);
      }
    }
  }

  @Override
  public long leaseOf(ByteString key) {
    Lease lease = leaseByKey.get(key);
    return lease == null ? 0 : lease.id;
  }

  /// Makes a lease and writes its record. Apply loop only.
  ///
  /// @return its TTL in seconds, raised to the minimum
  /// @throws dev.etcdj.proto.status.EtcdException LEASE_TTL_TOO_LARGE, LEASE_EXIST
  public long grant(long id, long ttlSeconds, WriteUnit unit) {
    if (ttlSeconds > MAX_TTL_SECONDS) {
      throw RpcError.LEASE_TTL_TOO_LARGE.exception();
    }
    Lease lease = new Lease(id, Math.max(ttlSeconds, minTtlSeconds), 0);
    synchronized (this) {
      if (id == 0 || leases.putIfAbsent(id, lease) != null) {
        throw id == 0 ? RpcError.LEASE_NOT_FOUND.exception() : RpcError.LEASE_EXIST.exception();
      }
      if (primary) {
        schedule(lease, nanoClock.getAsLong() + lease.ttlSeconds * NANOS);
      }
    }
    writeRecord(lease, unit);
    return lease.ttlSeconds;
  }

  /// Keys on a lease in byte order, the order their deletion takes (LEASE-32), or null when there
  /// is no such lease. Apply loop only.
  public @Nullable List<ByteString> attachedKeys(long id) {
    synchronized (this) {
      Lease lease = leases.get(id);
      return lease == null
          ? null
          : lease.keys.stream().sorted(ByteString.unsignedLexicographicalComparator()).toList();
    }
  }

  /// Removes the record of a lease, in the unit that deletes its keys (LEASE-33), and forgets it.
  /// Its keys are detached by their deletion. Apply loop only.
  public void remove(long id, WriteUnit unit) {
    List<Renewal> waiting;
    synchronized (this) {
      Lease lease = leases.remove(id);
      if (lease == null) {
        return;
      }
      queue.remove(lease);
      waiting = List.copyOf(lease.waiting);
    }
    unit.delete(Bucket.LEASE, RowKeys.lease(id));
    waiting.forEach(renewal -> renewal.done(Renewed.NOT_FOUND, 0));
  }

  /// Sets the remaining TTL; an unknown lease is ignored (LEASE-82). Apply loop only.
  public void checkpoint(long id, long remainingTtlSeconds, WriteUnit unit) {
    Lease lease;
    synchronized (this) {
      lease = leases.get(id);
      if (lease != null) {
        lease.remainingTtlSeconds = remainingTtlSeconds;
      }
    }
    if (lease != null) {
      writeRecord(lease, unit);
    }
  }

  private static void writeRecord(Lease lease, WriteUnit unit) {
    var record =
        dev.etcdj.proto.leasepb.Lease.newBuilder()
            .setID(lease.id)
            .setTTL(lease.ttlSeconds)
            .setRemainingTTL(lease.remainingTtlSeconds)
            .build();
    unit.put(Bucket.LEASE, RowKeys.lease(lease.id), record.toByteArray());
  }

  // ---- leadership -------------------------------------------------------------------------------

  /// Takes note of who leads. Losing leadership ends all expiry (LEASE-77). Raft loop only.
  public void leadershipChanged(RaftView view) {
    List<Renewal> stranded = new ArrayList<>();
    synchronized (this) {
      if (ledTerm != 0 && (!view.isLeader() || view.term() != ledTerm)) {
        lostTerm = ledTerm;
        ledTerm = 0;
        primary = false;
        queue.clear();
        for (Lease lease : leases.values()) {
          stranded.addAll(lease.waiting);
          lease.waiting.clear();
        }
      }
      if (view.isLeader()) {
        ledTerm = view.term();
      }
    }
    stranded.forEach(renewal -> renewal.done(Renewed.NOT_PRIMARY, 0));
  }

  /// Begins to expire leases: this member leads in `term` and has applied its first entry
  /// (LEASE-75). All leases start anew, spread out when there are many. Apply loop only.
  public synchronized void promote(long term) {
    if (term <= lostTerm || (primary && primaryTerm == term)) {
      return;
    }
    primary = true;
    primaryTerm = term;
    long now = nanoClock.getAsLong();
    List<Lease> all = new ArrayList<>(leases.values());
    boolean spread = all.size() >= SPREAD_FROM;
    if (spread) {
      all.sort(Comparator.comparingLong(Lease::inheritedSeconds));
    }
    long previous = now;
    for (Lease lease : all) {
      long expiry = now + lease.inheritedSeconds() * NANOS + electionTimeoutNanos;
      if (spread && expiry - previous < NANOS / SPREAD_PER_SECOND) {
        expiry = previous + NANOS / SPREAD_PER_SECOND;
      }
      previous = expiry;
      schedule(lease, expiry);
    }
  }

  private void schedule(Lease lease, long expiryNanos) {
    lease.expiryNanos = expiryNanos;
    lease.dueNanos = expiryNanos;
    queue.put(lease);
  }

  /// Whether this member expires and renews leases. Any thread.
  public synchronized boolean isPrimary() {
    return primary;
  }

  /// Whether a lease may be overdue. Any thread.
  synchronized boolean hasOverdue() {
    Lease first = queue.first();
    return first != null && first.dueNanos - nanoClock.getAsLong() <= 0;
  }

  /// Ids of overdue leases, each to be revoked now; one whose revoke does not come is offered again
  /// after `offerAgainNanos`. Empty when not primary.
  public synchronized List<Long> takeOverdue(int max, long offerAgainNanos) {
    List<Long> overdue = new ArrayList<>();
    long now = nanoClock.getAsLong();
    for (Lease first = queue.first();
        first != null && first.dueNanos - now <= 0 && overdue.size() < max;
        first = queue.first()) {
      if (first.expiryNanos - now > 0) {
        // A keepalive only moves the expiry; the queue learns of it here.
        first.dueNanos = first.expiryNanos;
      } else {
        first.dueNanos = now + offerAgainNanos;
        overdue.add(first.id);
      }
      queue.put(first);
    }
    return overdue;
  }

  // ---- clients ----------------------------------------------------------------------------------

  /// What came of a keepalive.
  public enum Renewed {
    RENEWED,
    NOT_FOUND,
    NOT_PRIMARY,
    /// A checkpointed remaining TTL must be reset first (LEASE-54).
    CHECKPOINTED
  }

  /// Receives the outcome of a keepalive, at once or later, from any thread.
  @FunctionalInterface
  public interface Renewal {
    /// @param ttlSeconds the granted TTL when renewed
    void done(Renewed outcome, long ttlSeconds);
  }

  /// Moves the expiry to now + TTL. An overdue lease is never resurrected: the renewal waits for
  /// its revoke, or for the end of this leadership (LEASE-53). Any thread.
  public void renew(long id, Renewal renewal) {
    Renewed outcome;
    long ttl = 0;
    synchronized (this) {
      Lease lease = leases.get(id);
      if (!primary) {
        outcome = Renewed.NOT_PRIMARY;
      } else if (lease == null) {
        outcome = Renewed.NOT_FOUND;
      } else if (lease.remainingTtlSeconds > 0) {
        outcome = Renewed.CHECKPOINTED;
      } else {
        long now = nanoClock.getAsLong();
        if (lease.expiryNanos - now <= 0) {
          lease.waiting.add(renewal);
          return;
        }
        lease.expiryNanos = now + lease.ttlSeconds * NANOS;
        ttl = lease.ttlSeconds;
        outcome = Renewed.RENEWED;
      }
    }
    renewal.done(outcome, ttl);
  }

  /// A lease as its time-to-live is asked for.
  ///
  /// @param remainingSeconds until expiry, truncated; not positive when overdue (LEASE-62)
  public record TimeToLive(
      boolean primary,
      boolean found,
      long ttlSeconds,
      long remainingSeconds,
      List<ByteString> keys) {}

  /// How long a lease lives, and its keys if asked for. Any thread.
  public synchronized TimeToLive timeToLive(long id, boolean withKeys) {
    Lease lease = leases.get(id);
    if (lease == null || !primary) {
      return new TimeToLive(primary, lease != null, 0, -1, List.of());
    }
    long remaining = (lease.expiryNanos - nanoClock.getAsLong()) / NANOS;
    List<ByteString> keys = withKeys ? List.copyOf(lease.keys) : List.of();
    return new TimeToLive(true, true, lease.ttlSeconds, remaining, keys);
  }

  /// All ids; the primary sorts them by remaining time (LEASE-70). Any thread.
  public synchronized List<Long> ids() {
    if (!primary) {
      return List.copyOf(leases.keySet());
    }
    return leases.values().stream()
        .sorted((a, b) -> Long.signum(a.expiryNanos - b.expiryNanos))
        .map(lease -> lease.id)
        .toList();
  }

  /// Leases there are, for metrics.
  public synchronized int count() {
    return leases.size();
  }
}
