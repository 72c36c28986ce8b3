package dev.etcdj.server.lease;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpoint;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpointRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveRequest;
import dev.etcdj.proto.leasepb.LeaseInternalRequest;
import dev.etcdj.proto.leasepb.LeaseInternalResponse;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.raftnode.RaftView;
import dev.etcdj.server.read.AppliedWaits;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/// Keepalives and time-to-live queries wherever they come in: done here by the leader, forwarded
/// to it by everybody else. Any thread; nothing blocks. Pending work is bounded by its callers: a
/// client stream has one keepalive under way.
public final class LeaseRenewals {
  private static final long APPLIED_WAIT_NANOS = 1_000_000_000L;
  private static final long ROUND_PAUSE_NANOS = 50_000_000L;

  /// @param timeoutNanos for a whole forward, rounds and pauses included (LEASE-55)
  public record Limits(long timeoutNanos, long electionTimeoutNanos) {}

  private final Limits limits;
  private final Lessor lessor;
  private final RaftHandle raft;
  private final Membership membership;
  private final LeadershipCheck leadership;
  private final AppliedWaits appliedWaits;
  private final Proposer proposer;
  private final LeaseForwarder forwarder;
  private final Timers timers;
  private final LongSupplier nanoClock;

  public LeaseRenewals(
      Limits limits,
      Lessor lessor,
      RaftHandle raft,
      Membership membership,
      LeadershipCheck leadership,
      AppliedWaits appliedWaits,
      Proposer proposer,
      LeaseForwarder forwarder,
      Timers timers,
      LongSupplier nanoClock) {
    this.limits = limits;
    this.lessor = lessor;
    this.raft = raft;
    this.membership = membership;
    this.leadership = leadership;
    this.appliedWaits = appliedWaits;
    this.proposer = proposer;
    this.forwarder = forwarder;
    this.timers = timers;
    this.nanoClock = nanoClock;
  }

  /// Receives one outcome, on any thread.
  public interface KeepAliveCallback {
    /// @param ttlSeconds 0: no such lease (LEASE-42)
    void renewed(long ttlSeconds);

    void failed(EtcdException why);
  }

  /// Receives one outcome, on any thread.
  public interface TimeToLiveCallback {
    /// `found` false: no such lease (LEASE-63).
    void done(Lessor.TimeToLive timeToLive);

    void failed(EtcdException why);
  }

  /// Renews a lease (LEASE-41..43).
  public void keepAlive(long id, KeepAliveCallback callback) {
    new KeepAlive(id, callback).round();
  }

  /// Asks for a lease's time to live (LEASE-61..65).
  public void timeToLive(long id, boolean withKeys, TimeToLiveCallback callback) {
    new Query(id, withKeys, callback).round();
  }

  // ---- on the leader ----------------------------------------------------------------------------

  /// Steps of LEASE-50..54. `demoted` runs when the leader has changed under it.
  private void renewHere(long id, KeepAliveCallback callback, Runnable demoted) {
    leadership.confirm(
        () -> renew(id, true, true, callback, demoted),
        () -> callback.failed(RpcError.NOT_PRIMARY_LESSOR.exception()));
  }

  private void renew(
      long id, boolean mayWait, boolean mayReset, KeepAliveCallback callback, Runnable demoted) {
    lessor.renew(
        id,
        (outcome, ttl) -> {
          switch (outcome) {
            case RENEWED -> callback.renewed(ttl);
            case NOT_PRIMARY -> demoted.run();
            case NOT_FOUND -> {
              if (mayWait) {
                whenApplied(() -> renew(id, false, mayReset, callback, demoted), callback::failed);
              } else {
                callback.renewed(0);
              }
            }
            case CHECKPOINTED -> {
              if (mayReset) {
                resetCheckpoint(id, () -> renew(id, mayWait, false, callback, demoted));
              } else {
                demoted.run();
              }
            }
          }
        });
  }

  /// LEASE-54; whatever comes of it, the lease is looked up again.
  private void resetCheckpoint(long id, Runnable then) {
    var request =
        LeaseCheckpointRequest.newBuilder()
            .addCheckpoints(LeaseCheckpoint.newBuilder().setID(id).setRemainingTTL(0))
            .build();
    var _ =
        proposer.propose(
            InternalRaftRequest.LEASE_CHECKPOINT_FIELD_NUMBER, request, _ -> then.run());
  }

  /// Waits until all that is committed now is applied, for a second at most (LIM-10).
  private void whenApplied(Runnable applied, java.util.function.Consumer<EtcdException> late) {
    AtomicBoolean over = new AtomicBoolean();
    Timers.Handle timer =
        timers.after(
            APPLIED_WAIT_NANOS,
            () -> {
              if (over.compareAndSet(false, true)) {
                late.accept(RpcError.TIMEOUT_WAIT_APPLIED_INDEX.exception());
              }
            });
    appliedWaits.await(
        raft.view().committed(),
        () -> {
          if (over.compareAndSet(false, true)) {
            timer.cancel();
            applied.run();
          }
        });
  }

  private void lookHere(long id, boolean withKeys, TimeToLiveCallback callback) {
    whenApplied(
        () -> {
          Lessor.TimeToLive found = lessor.timeToLive(id, withKeys);
          if (found.primary() || !found.found()) {
            callback.done(found);
          } else {
            callback.failed(RpcError.LEADER_CHANGED.exception());
          }
        },
        callback::failed);
  }

  // ---- from wherever a client asks --------------------------------------------------------------

  /// A request that goes round until a leader answers it or its time is up.
  private abstract class Attempt {
    private final long deadlineNanos = nanoClock.getAsLong() + limits.timeoutNanos();
    private boolean sawLeader;

    abstract void here();

    abstract void fail(EtcdException why);

    abstract String path();

    abstract byte[] body();

    /// Whether the answer settles the request; anything else is worth another try (LEASE-92).
    abstract boolean settles(int status, byte[] body);

    final void round() {
      RaftView view = raft.view();
      if (nanoClock.getAsLong() - deadlineNanos >= 0) {
        fail((sawLeader ? RpcError.TIMEOUT : RpcError.NO_LEADER).exception());
      } else if (view.isLeader()) {
        here();
      } else {
        Member leader = view.hasLeader() ? membership.member(view.leader()) : null;
        if (leader == null) {
          again(limits.electionTimeoutNanos());
        } else {
          sawLeader = true;
          forward(leader.peerUrls(), 0);
        }
      }
    }

    final void demoted() {
      sawLeader = true;
      again(ROUND_PAUSE_NANOS);
    }

    private void again(long pauseNanos) {
      var _ = timers.after(pauseNanos, this::round);
    }

    private void forward(List<String> urls, int next) {
      long left = deadlineNanos - nanoClock.getAsLong();
      if (next == urls.size() || left <= 0) {
        again(ROUND_PAUSE_NANOS);
        return;
      }
      forwarder.post(
          urls.get(next),
          path(),
          body(),
          left,
          (status, body) -> {
            if (!settles(status, body)) {
              forward(urls, next + 1);
            }
          });
    }
  }

  private final class KeepAlive extends Attempt {
    private final long id;
    private final KeepAliveCallback callback;

    KeepAlive(long id, KeepAliveCallback callback) {
      this.id = id;
      this.callback = callback;
    }

    @Override
    void here() {
      renewHere(id, callback, this::demoted);
    }

    @Override
    void fail(EtcdException why) {
      callback.failed(why);
    }

    @Override
    String path() {
      return LeaseForwarder.KEEP_ALIVE;
    }

    @Override
    byte[] body() {
      return LeaseKeepAliveRequest.newBuilder().setID(id).build().toByteArray();
    }

    @Override
    boolean settles(int status, byte[] body) {
      if (status == 404) {
        callback.renewed(0);
        return true;
      }
      if (status != 200) {
        return false;
      }
      try {
        callback.renewed(LeaseKeepAliveResponse.parseFrom(body).getTTL());
        return true;
      } catch (InvalidProtocolBufferException e) {
        return false;
      }
    }
  }

  private final class Query extends Attempt {
    private final long id;
    private final boolean withKeys;
    private final TimeToLiveCallback callback;

    Query(long id, boolean withKeys, TimeToLiveCallback callback) {
      this.id = id;
      this.withKeys = withKeys;
      this.callback = callback;
    }

    @Override
    void here() {
      lookHere(id, withKeys, callback);
    }

    @Override
    void fail(EtcdException why) {
      callback.failed(why);
    }

    @Override
    String path() {
      return LeaseForwarder.INTERNAL;
    }

    @Override
    byte[] body() {
      return LeaseInternalRequest.newBuilder()
          .setLeaseTimeToLiveRequest(
              LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(withKeys))
          .build()
          .toByteArray();
    }

    @Override
    boolean settles(int status, byte[] body) {
      if (status == 404) {
        callback.done(new Lessor.TimeToLive(false, false, 0, -1, List.of()));
        return true;
      }
      if (status != 200) {
        return false;
      }
      try {
        var found = LeaseInternalResponse.parseFrom(body).getLeaseTimeToLiveResponse();
        callback.done(
            new Lessor.TimeToLive(
                true, true, found.getGrantedTTL(), found.getTTL(), found.getKeysList()));
        return true;
      } catch (InvalidProtocolBufferException e) {
        return false;
      }
    }
  }

  // ---- for the peer port ------------------------------------------------------------------------

  /// Serves a forwarded keepalive (LEASE-90, LEASE-91).
  public void serveKeepAlive(byte[] body, LeaseForwarder.Answer answer) {
    long id;
    try {
      id = LeaseKeepAliveRequest.parseFrom(body).getID();
    } catch (InvalidProtocolBufferException e) {
      answer.done(400, PeerAnswers.text("error unmarshalling request"));
      return;
    }
    renewHere(
        id,
        new KeepAliveCallback() {
          @Override
          public void renewed(long ttlSeconds) {
            if (ttlSeconds == 0) {
              answer.done(404, PeerAnswers.text(RpcError.LEASE_NOT_FOUND.text()));
            } else {
              answer.done(200, PeerAnswers.keepAlive(id, ttlSeconds));
            }
          }

          @Override
          public void failed(EtcdException why) {
            answer.done(PeerAnswers.status(why), PeerAnswers.text(why.text()));
          }
        },
        () -> answer.done(400, PeerAnswers.text(RpcError.NOT_PRIMARY_LESSOR.text())));
  }

  /// Serves a forwarded time-to-live query (LEASE-90, LEASE-91).
  public void serveInternal(byte[] body, LeaseForwarder.Answer answer) {
    LeaseTimeToLiveRequest request;
    try {
      request = LeaseInternalRequest.parseFrom(body).getLeaseTimeToLiveRequest();
    } catch (InvalidProtocolBufferException e) {
      answer.done(400, PeerAnswers.text("error unmarshalling request"));
      return;
    }
    lookHere(
        request.getID(),
        request.getKeys(),
        new TimeToLiveCallback() {
          @Override
          public void done(Lessor.TimeToLive found) {
            if (!found.found()) {
              answer.done(404, PeerAnswers.text(RpcError.LEASE_NOT_FOUND.text()));
            } else {
              answer.done(200, PeerAnswers.timeToLive(request.getID(), found));
            }
          }

          @Override
          public void failed(EtcdException why) {
            answer.done(PeerAnswers.status(why), PeerAnswers.text(why.text()));
          }
        });
  }
}
