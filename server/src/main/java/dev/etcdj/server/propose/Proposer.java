package dev.etcdj.server.propose;

import com.google.protobuf.MessageLite;
import dev.etcdj.proto.etcdserverpb.AlarmRequest;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.apply.Command;
import dev.etcdj.server.apply.Commands;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.raftnode.RaftView;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Hands requests to raft and their results back. Any thread; nothing here blocks.
///
/// Bounded three times, each answered with the "too many requests" error and nothing proposed: by
/// the gap between committed and applied (KV-24), by the waiters, by raft's inbox.
public final class Proposer {
  /// @param maxRequestBytes most bytes of an encoded entry (KV-118)
  /// @param maxUnapplied most committed entries that wait for apply (KV-24)
  /// @param timeoutNanos how long a proposal waits (KV-25)
  public record Limits(
      int maxRequestBytes, long maxUnapplied, long timeoutNanos, long electionTimeoutNanos) {}

  private static final long SWEEP_NANOS = 200_000_000L;

  private final Limits limits;
  private final RaftHandle raft;
  private final Membership membership;
  private final Waiters waiters;
  private final LeaderHistory history;
  private final Connections connections;
  private final LongSupplier appliedIndex;
  private final LongSupplier nanoClock;
  private final LongAdder failed = new LongAdder();
  // Written by stop(), read by every proposing thread.
  private volatile boolean stopped;

  public Proposer(
      Limits limits,
      RaftHandle raft,
      Membership membership,
      Waiters waiters,
      LeaderHistory history,
      Connections connections,
      LongSupplier appliedIndex,
      LongSupplier nanoClock) {
    this.limits = limits;
    this.raft = raft;
    this.membership = membership;
    this.waiters = waiters;
    this.history = history;
    this.connections = connections;
    this.appliedIndex = appliedIndex;
    this.nanoClock = nanoClock;
  }

  /// Begins to expire proposals from `timers`.
  public void start(Timers timers) {
    timers.every(SWEEP_NANOS, this::expire);
  }

  /// Proposes a request whose wire form is at hand.
  ///
  /// @param command what `body` says, or null to have it decoded at apply
  /// @param field its field in `InternalRaftRequest`
  public Proposal propose(
      @Nullable Command command, int field, byte[] body, ProposalCallback callback) {
    Proposal proposal = new Proposal(waiters, command, callback, nanoClock.getAsLong());
    EtcdException refusal = admit(proposal);
    if (refusal != null) {
      return refused(proposal, refusal, callback);
    }
    byte[] data = EntryEncoder.encode(field, body, proposal.id);
    proposal.data = data;
    if (data.length > limits.maxRequestBytes()) {
      proposal.refuse(RpcError.REQUEST_TOO_LARGE.exception());
    } else if (!raft.propose(Bytes.wrap(data), proposal)) {
      failed.increment();
      proposal.refuse(RpcError.REQUEST_TOO_MANY_REQUESTS.exception());
    }
    return proposal;
  }

  /// Proposes a request made by the server.
  public Proposal propose(int field, MessageLite request, ProposalCallback callback) {
    return propose(null, field, request.toByteArray(), callback);
  }

  /// Proposes a change of the members.
  ///
  /// @param change makes the change that carries the given request id
  public Proposal proposeConfChange(LongFunction<ConfChange> change, ProposalCallback callback) {
    Proposal proposal = new Proposal(waiters, null, callback, nanoClock.getAsLong());
    EtcdException refusal = admit(proposal);
    if (refusal != null) {
      return refused(proposal, refusal, callback);
    }
    if (!raft.proposeConfChange(change.apply(proposal.id), proposal)) {
      failed.increment();
      proposal.refuse(RpcError.REQUEST_TOO_MANY_REQUESTS.exception());
    }
    return proposal;
  }

  /// Raises NOSPACE for this member (KV-120, KV-122), then runs `then`, whatever came of it.
  public void raiseNoSpace(Runnable then) {
    AlarmRequest request = Commands.activateNoSpace(membership.self());
    var _ = propose(InternalRaftRequest.ALARM_FIELD_NUMBER, request, _ -> then.run());
  }

  private Proposal refused(Proposal proposal, EtcdException why, ProposalCallback callback) {
    callback.done(new ApplyResult.Refused(why));
    return proposal;
  }

  private @Nullable EtcdException admit(Proposal proposal) {
    if (stopped) {
      return RpcError.STOPPED.exception();
    }
    if (raft.view().committed() > appliedIndex.getAsLong() + limits.maxUnapplied()
        || !waiters.register(proposal)) {
      return RpcError.REQUEST_TOO_MANY_REQUESTS.exception();
    }
    // stop() may have swept before the registration above.
    if (stopped && waiters.remove(proposal)) {
      return RpcError.STOPPED.exception();
    }
    return null;
  }

  /// Answers what has waited too long.
  void expire() {
    long now = nanoClock.getAsLong();
    waiters.forEach(
        proposal -> {
          if (now - proposal.startNanos >= limits.timeoutNanos()) {
            failed.increment();
            proposal.refuse(timeoutOf(proposal.startNanos).exception());
          }
        });
  }

  private RpcError timeoutOf(long startNanos) {
    if (history.leaderlessSince(startNanos)) {
      return RpcError.CONTEXT_DEADLINE_EXCEEDED;
    }
    if (history.startedBeforeElection(startNanos, 2 * limits.electionTimeoutNanos())) {
      return RpcError.TIMEOUT_DUE_TO_LEADER_FAIL;
    }
    RaftView view = raft.view();
    boolean lost =
        view.isLeader()
            ? !connectedQuorumSince(startNanos)
            : view.hasLeader() && !connectedSince(view.leader(), startNanos);
    return lost ? RpcError.TIMEOUT_DUE_TO_CONNECTION_LOST : RpcError.TIMEOUT;
  }

  private boolean connectedQuorumSince(long startNanos) {
    int voters = 0;
    int connected = 0;
    for (Member member : membership.members()) {
      if (!member.learner()) {
        voters++;
        if (member.id() == membership.self() || connectedSince(member.id(), startNanos)) {
          connected++;
        }
      }
    }
    return connected > voters / 2;
  }

  private boolean connectedSince(long id, long startNanos) {
    long since = connections.activeSince(id);
    return since != 0 && since - startNanos <= 0;
  }

  /// Refuses everything from now on and whatever waits (ErrStopped, MAINT-82).
  public void stop() {
    stopped = true;
    waiters.forEach(proposal -> proposal.refuse(RpcError.STOPPED.exception()));
  }

  /// Proposals that wait, for metrics.
  public int pending() {
    return waiters.count();
  }

  /// Proposals that timed out or found raft's inbox full, for metrics.
  public long failedTotal() {
    return failed.sum();
  }
}
