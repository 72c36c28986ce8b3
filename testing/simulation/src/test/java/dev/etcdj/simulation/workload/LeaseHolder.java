package dev.etcdj.simulation.workload;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.lease.LeaseRenewals;
import dev.etcdj.simulation.world.World;
import java.util.SplittableRandom;

/// A client that takes a lease, puts a key on it, keeps it alive for a while, then lets it go or
/// revokes it, and begins again.
final class LeaseHolder extends Client {
  private static final long FAILED = -1;

  private final Workload workload;
  private long granted;
  private long id;
  private int renewalsLeft;

  LeaseHolder(World world, Workload workload, SplittableRandom random, int number) {
    super(world, random, number);
    this.workload = workload;
  }

  @Override
  void begin() {
    within(1_000 * MILLI, this::grant);
  }

  void stop() {
    renewalsLeft = 0;
  }

  /// Whether no lease of this client's is left that ought to have ended.
  boolean isQuiet() {
    for (long lease = 1; lease <= granted; lease++) {
      long each = leaseId(lease);
      if (world.members().stream()
          .anyMatch(member -> member.isUp() && member.replica().stores().lessor().exists(each))) {
        return false;
      }
    }
    return true;
  }

  private long leaseId(long lease) {
    return number * 1_000L + lease;
  }

  private void grant() {
    if (workload.isStopped()) {
      return;
    }
    id = leaseId(++granted);
    long asked = world.time().now();
    LeaseGrantRequest request =
        LeaseGrantRequest.newBuilder().setID(id).setTTL(1 + random.nextInt(4)).build();
    long lease = id;
    propose(
        world,
        world.anyMember(random),
        4_000 * MILLI,
        FAILED,
        InternalRaftRequest.LEASE_GRANT_FIELD_NUMBER,
        request,
        result -> result instanceof ApplyResult.Granted done ? done.ttlSeconds() : FAILED,
        ttl -> {
          if (ttl == null || ttl == FAILED) {
            later(500);
            return;
          }
          world.checks().leases().promised(lease, asked, ttl);
          renewalsLeft = random.nextInt(8);
          attach();
        });
  }

  private void later(long millis) {
    within(2 * millis * MILLI, this::grant);
  }

  private void attach() {
    PutRequest request =
        PutRequest.newBuilder()
            .setKey(ByteString.copyFromUtf8("held-" + number + "-" + random.nextInt(2)))
            .setValue(ByteString.copyFromUtf8("by " + id))
            .setLease(id)
            .build();
    ask(InternalRaftRequest.PUT_FIELD_NUMBER, request, () -> within(600 * MILLI, this::renew));
  }

  private void renew() {
    if (renewalsLeft-- <= 0 || workload.isStopped()) {
      letGo();
      return;
    }
    long asked = world.time().now();
    long lease = id;
    Call.make(
        world,
        world.anyMember(random),
        3_000 * MILLI,
        FAILED,
        (member, answer) ->
            member
                .replica()
                .renewals()
                .keepAlive(
                    lease,
                    new LeaseRenewals.KeepAliveCallback() {
                      @Override
                      public void renewed(long ttlSeconds) {
                        answer.accept(ttlSeconds);
                      }

                      @Override
                      public void failed(EtcdException why) {
                        answer.accept(FAILED);
                      }
                    }),
        ttl -> {
          if (ttl != null && ttl > 0) {
            world.stats().renewals++;
            world.trace().note("renewed", 0, lease, ttl);
            world.checks().leases().promised(lease, asked, ttl);
          }
          if (ttl != null && ttl == 0) {
            later(300);
          } else {
            world.time().after(200 * MILLI + random.nextLong(700 * MILLI), this::renew);
          }
        });
  }

  private void letGo() {
    if (random.nextInt(3) > 0) {
      later(2_000);
      return;
    }
    world.checks().leases().revoking(id);
    LeaseRevokeRequest request = LeaseRevokeRequest.newBuilder().setID(id).build();
    ask(InternalRaftRequest.LEASE_REVOKE_FIELD_NUMBER, request, () -> later(500));
  }

  /// Proposes at any member what may come true or not.
  private void ask(int field, MessageLite request, Runnable then) {
    propose(
        world,
        world.anyMember(random),
        2_000 * MILLI,
        false,
        field,
        request,
        _ -> true,
        _ -> then.run());
  }

  @Override
  public String toString() {
    return "holder " + number + " of lease " + id;
  }
}
