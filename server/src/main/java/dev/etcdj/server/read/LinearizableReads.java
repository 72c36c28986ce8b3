package dev.etcdj.server.read;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.propose.RequestIds;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.raftnode.RaftView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Lets reads wait until answering them from the local store is linearizable (RAFT-130..135): a
/// read-index round confirms this member's view with a quorum, then everything up to the confirmed
/// index must be applied. One round is in flight; all reads that came before it began share it.
///
/// Wake-ups for a read: none on the only voter of a cluster; elsewhere the raft loop's (shared by
/// the round) and the caller's own when the answer comes.
///
/// Thread-safe: one lock, a leaf; callbacks run outside it.
public final class LinearizableReads {
  /// @param retryNanos after which an unanswered round asks again (RAFT-132)
  /// @param timeoutNanos after which a round fails (RAFT-134)
  /// @param maxWaiting reads that may wait; more are refused with "too many requests"
  public record Limits(long retryNanos, long timeoutNanos, int maxWaiting) {}

  private static final long CHECK_NANOS = 100_000_000L;

  private final Limits limits;
  private final RaftHandle raft;
  private final Membership membership;
  private final RequestIds ids;
  private final AppliedWaits appliedWaits;
  private final LongSupplier appliedTerm;
  private final LongSupplier nanoClock;
  private final LongAdder failed = new LongAdder();
  private final LongAdder slow = new LongAdder();

  // All guarded by this.
  private List<ReadCallback> waiting = new ArrayList<>();
  private @Nullable Round round;
  private int outstanding;
  private boolean stopped;

  /// One question to the quorum, possibly asked several times under different ids.
  private static final class Round {
    final List<ReadCallback> reads;
    final long startNanos;
    final long leaderChanges;
    // 8 bytes big-endian each; only answers to these count.
    final Set<Bytes> asked = new HashSet<>();
    long askedNanos;

    Round(List<ReadCallback> reads, long startNanos, long leaderChanges) {
      this.reads = reads;
      this.startNanos = startNanos;
      this.leaderChanges = leaderChanges;
    }
  }

  public LinearizableReads(
      Limits limits,
      RaftHandle raft,
      Membership membership,
      RequestIds ids,
      AppliedWaits appliedWaits,
      LongSupplier appliedTerm,
      LongSupplier nanoClock) {
    this.limits = limits;
    this.raft = raft;
    this.membership = membership;
    this.ids = ids;
    this.appliedWaits = appliedWaits;
    this.appliedTerm = appliedTerm;
    this.nanoClock = nanoClock;
  }

  /// Begins to retry and expire rounds from `timers`.
  public void start(Timers timers) {
    timers.every(CHECK_NANOS, this::check);
  }

  /// Calls `read` back once, now or later. A caller that gives up needs to tell nobody: it ignores
  /// the call. Any thread.
  public void await(ReadCallback read) {
    if (isOnlyVoter()) {
      read.ready();
      return;
    }
    Bytes ask = null;
    EtcdException refusal = null;
    synchronized (this) {
      if (stopped) {
        refusal = RpcError.STOPPED.exception();
      } else if (outstanding >= limits.maxWaiting()) {
        refusal = RpcError.REQUEST_TOO_MANY_REQUESTS.exception();
      } else {
        outstanding++;
        waiting.add(read);
        ask = round == null ? beginRound() : null;
      }
    }
    if (refusal != null) {
      read.failed(refusal);
    } else if (ask != null) {
      // A full inbox is like a lost message: the retry asks again.
      var _ = raft.readIndex(ask);
    }
  }

  /// Nobody else can have committed anything: this member alone is the quorum, it leads, and it has
  /// applied an entry of its term, hence everything that was acknowledged before it led; what it
  /// acknowledged itself was applied first. The view is read before the term: a leader of a later
  /// term has published another view before it took office.
  private boolean isOnlyVoter() {
    RaftView view = raft.view();
    if (!view.isLeader() || appliedTerm.getAsLong() != view.term()) {
      return false;
    }
    List<Member> members = membership.members();
    return members.size() == 1 && members.getFirst().id() == view.self();
  }

  private Bytes beginRound() {
    Round begun = new Round(waiting, nanoClock.getAsLong(), raft.view().leaderChanges());
    waiting = new ArrayList<>();
    round = begun;
    return ask(begun);
  }

  private Bytes ask(Round current) {
    Bytes id = bytes(ids.next());
    current.asked.add(id);
    current.askedNanos = nanoClock.getAsLong();
    return id;
  }

  /// Takes an answer of the quorum. Raft loop, after it has published the view of the same turn.
  public void onReadState(ReadState state) {
    Round answered;
    Bytes ask;
    boolean leaderChanged;
    synchronized (this) {
      answered = round;
      if (answered == null || !answered.asked.contains(state.context())) {
        return;
      }
      leaderChanged = raft.view().leaderChanges() != answered.leaderChanges;
      ask = endRound();
    }
    if (ask != null) {
      var _ = raft.readIndex(ask);
    }
    if (leaderChanged) {
      fail(answered, RpcError.LEADER_CHANGED);
    } else {
      appliedWaits.await(state.index(), () -> release(answered));
    }
  }

  private void release(Round answered) {
    settled(answered);
    answered.reads.forEach(ReadCallback::ready);
  }

  private synchronized void settled(Round ended) {
    outstanding -= ended.reads.size();
  }

  /// Ends the round in flight; the next one begins at once if reads wait.
  private @Nullable Bytes endRound() {
    round = null;
    return waiting.isEmpty() ? null : beginRound();
  }

  /// A leader became known that differs from the last one (RAFT-133). Raft loop, after it has
  /// published the view.
  public void leaderChanged() {
    long changes = raft.view().leaderChanges();
    endIf(current -> current.leaderChanges != changes, RpcError.LEADER_CHANGED);
  }

  /// A leader has committed its first entry, so that a question held back so far, or lost with the
  /// last leader, may be answered now (RAFT-132). Apply loop.
  public void termBegan() {
    Bytes ask;
    synchronized (this) {
      ask = round == null ? null : ask(round);
    }
    if (ask != null) {
      var _ = raft.readIndex(ask);
    }
  }

  /// Retries and expires.
  void check() {
    long now = nanoClock.getAsLong();
    endIf(current -> now - current.startNanos >= limits.timeoutNanos(), RpcError.TIMEOUT);
    Bytes ask = null;
    synchronized (this) {
      if (round != null && now - round.askedNanos >= limits.retryNanos()) {
        slow.increment();
        ask = ask(round);
      }
    }
    if (ask != null) {
      var _ = raft.readIndex(ask);
    }
  }

  private void endIf(java.util.function.Predicate<Round> condition, RpcError why) {
    Round ended;
    Bytes ask;
    synchronized (this) {
      ended = round;
      if (ended == null || !condition.test(ended)) {
        return;
      }
      ask = endRound();
    }
    if (ask != null) {
      var _ = raft.readIndex(ask);
    }
    fail(ended, why);
  }

  private void fail(Round ended, RpcError why) {
    failed.increment();
    settled(ended);
    EtcdException error = why.exception();
    ended.reads.forEach(read -> read.failed(error));
  }

  /// Fails everything that waits, and everything from now on.
  public void stop() {
    List<ReadCallback> all;
    synchronized (this) {
      stopped = true;
      all = waiting;
      if (round != null) {
        all.addAll(round.reads);
        round = null;
      }
      waiting = new ArrayList<>();
    }
    EtcdException error = RpcError.STOPPED.exception();
    all.forEach(read -> read.failed(error));
  }

  /// Rounds that failed, for metrics.
  public long failedTotal() {
    return failed.sum();
  }

  /// Questions that had to be asked again, for metrics.
  public long slowTotal() {
    return slow.sum();
  }

  private static Bytes bytes(long id) {
    byte[] bytes = new byte[8];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (id >>> (56 - 8 * i));
    }
    return Bytes.wrap(bytes);
  }
}
