package dev.etcdj.raft;

import dev.etcdj.raft.RawNode.Accepted;
import dev.etcdj.raft.RawNode.Dropped;
import dev.etcdj.raft.RawNode.Outcome;
import dev.etcdj.raft.confchange.Changer;
import dev.etcdj.raft.confchange.Configuration;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.LogReader;
import dev.etcdj.raft.log.RaftLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.quorum.IdSet;
import dev.etcdj.raft.trace.TraceSink;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The step function: one message in, changed state and messages out. What only a leader does is
/// in [Leadership], which exists for one reign; a follower's dealings with its log are here.
///
/// Invariants: a leader has a leadership and nobody else has; candidates of both kinds have a
/// candidacy and nobody else has; term never goes back, vote changes at most once in a term.
final class Raft {
  static final Outcome ACCEPTED = new Accepted();
  static final Outcome PROPOSAL_DROPPED = new Dropped("raft proposal dropped");
  static final Bytes CAMPAIGN_TRANSFER =
      Bytes.wrap("CampaignTransfer".getBytes(StandardCharsets.US_ASCII));

  /// Why a node stands for election.
  private enum Campaign {
    PRE_VOTE,
    ELECTION,
    TRANSFER
  }

  final RaftConfig config;
  final long id;
  final RaftLog log;
  final Outbox outbox = new Outbox();
  final ElectionTimer timer;

  private long term;
  private long vote;
  private long leader;
  private Role role = Role.FOLLOWER;
  private Configuration members;

  /// While a snapshot is on its way into the application: the configuration of the entries that
  /// the application is still busy with, which were handed out before. Null otherwise.
  private @Nullable Configuration overtaken;

  private @Nullable Leadership leadership;
  private @Nullable Candidacy candidacy;

  Raft(RaftConfig config) {
    this.config = config;
    this.id = config.id();
    this.timer = new ElectionTimer(config);
    long applyBytes =
        config.maxCommittedSizePerReady() == 0
            ? config.maxSizePerMessage()
            : config.maxCommittedSizePerReady();
    log = new RaftLog(config.log(), Math.max(1, applyBytes));
    LogReader.InitialState initial = config.log().initialState();
    members = Configuration.restore(initial.confState());
    HardState stored = initial.hardState();
    if (!stored.isEmpty()) {
      term = stored.term();
      vote = stored.vote();
      log.recover(stored.commit(), 0);
    }
    if (config.applied() > 0) {
      log.appliedTo(config.applied(), 0);
    }
    transitionToFollower(term, 0);
  }

  // State that others read.

  long term() {
    return term;
  }

  long leader() {
    return leader;
  }

  Role role() {
    return role;
  }

  Configuration members() {
    return members;
  }

  @Nullable Leadership leadership() {
    return leadership;
  }

  HardState hardState() {
    return new HardState(term, vote, log.committed());
  }

  long vote() {
    return vote;
  }

  // Time.

  void tick() {
    timer.tick();
    if (leadership == null) {
      if (isPromotable() && timer.electionDue()) {
        step(new Message.Hup(id, id, 0));
      }
      return;
    }
    if (timer.quorumCheckDue()) {
      leadership.abortTransfer();
      if (config.checkQuorum()) {
        step(new Message.CheckQuorum(id, id, 0));
      }
    }
    if (leadership != null && timer.heartbeatTick()) {
      step(new Message.Beat(id, id, 0));
    }
  }

  // Transitions. Each is the only way into its role.

  private void startTerm(long newTerm) {
    if (newTerm < term) {
      throw new InvariantViolation("term goes back from %d to %d".formatted(term, newTerm));
    }
    if (newTerm > term) {
      term = newTerm;
      vote = 0;
    }
    leader = 0;
    leadership = null;
    candidacy = null;
    timer.redraw();
  }

  void transitionToFollower(long newTerm, long newLeader) {
    startTerm(newTerm);
    role = Role.FOLLOWER;
    leader = newLeader;
    trace("became follower at term %d", term);
  }

  private void transitionToPreCandidate() {
    requireNotLeader("pre-candidate");
    // Neither term nor vote change, so that an isolated node disturbs nobody when it comes back.
    role = Role.PRE_CANDIDATE;
    leader = 0;
    candidacy = new Candidacy();
    trace("became pre-candidate at term %d", term);
  }

  private void transitionToCandidate() {
    requireNotLeader("candidate");
    startTerm(term + 1);
    role = Role.CANDIDATE;
    vote = id;
    candidacy = new Candidacy();
    trace("became candidate at term %d", term);
  }

  private void transitionToLeader() {
    if (role != Role.CANDIDATE) {
      throw new InvariantViolation("became leader from " + role);
    }
    startTerm(term);
    role = Role.LEADER;
    leader = id;
    leadership = new Leadership(this);
    leadership.begin();
    trace("became leader at term %d", term);
  }

  private void requireNotLeader(String what) {
    if (role == Role.LEADER) {
      throw new InvariantViolation("leader became " + what);
    }
  }

  void trace(String format, Object... arguments) {
    if (!config.trace().equals(TraceSink.NONE)) {
      config.trace().event(id, term, Long.toHexString(id) + " " + format.formatted(arguments));
    }
  }

  // The step function.

  Outcome step(Message message) {
    if (message.term() != 0 && message.term() != term && !admitOtherTerm(message)) {
      return ACCEPTED;
    }
    switch (message) {
      case Message.Hup hup -> hup(config.preVote() ? Campaign.PRE_VOTE : Campaign.ELECTION);
      case Message.StorageAppendResponse done -> storageAppended(done);
      case Message.StorageApplyResponse done -> {
        if (!done.entries().isEmpty()) {
          applied(done.entries());
        }
      }
      case Message.Vote request -> answerVote(request);
      case Message.PreVote request -> answerPreVote(request);
      case Message.StorageAppend ignored -> {}
      case Message.StorageApply ignored -> {}
      default -> {
        return leadership == null ? stepFollowing(message) : leadership.step(message);
      }
    }
    return ACCEPTED;
  }

  /// Deals with the term of a message that is of another term (RAFT-44, RAFT-45).
  ///
  /// @return whether the message itself is to be looked at
  private boolean admitOtherTerm(Message message) {
    if (message.term() < term) {
      answerLowerTerm(message);
      return false;
    }
    switch (message) {
      case Message.Vote request -> {
        if (isProtectedByLease(request.context())) {
          return false;
        }
        transitionToFollower(request.term(), 0);
      }
      case Message.PreVote request -> {
        return !isProtectedByLease(request.context());
      }
      case Message.PreVoteResponse response -> {
        // A grant carries the term that was asked about, which is not reached yet.
        if (response.reject()) {
          transitionToFollower(response.term(), 0);
        }
      }
      case Message.Append append -> transitionToFollower(append.term(), append.from());
      case Message.CommitIndex news -> transitionToFollower(news.term(), news.from());
      case Message.Heartbeat beat -> transitionToFollower(beat.term(), beat.from());
      case Message.InstallSnapshot install -> transitionToFollower(install.term(), install.from());
      default -> transitionToFollower(message.term(), 0);
    }
    return true;
  }

  private boolean isProtectedByLease(Bytes context) {
    return config.checkQuorum()
        && leader != 0
        && timer.heardLately()
        && !context.equals(CAMPAIGN_TRANSFER);
  }

  private void answerLowerTerm(Message message) {
    switch (message) {
      case Message.Append stale -> nudge(stale.from());
      case Message.CommitIndex stale -> nudge(stale.from());
      case Message.Heartbeat stale -> nudge(stale.from());
      case Message.PreVote stale ->
          outbox.sendWhenDurable(new Message.PreVoteResponse(id, stale.from(), term, true));
      case Message.StorageAppendResponse stale -> {
        // Entries may have been replaced since (RAFT-22); a snapshot can only be overtaken.
        if (stale.snapshot() != null) {
          snapshotApplied(stale.snapshot());
        }
      }
      default -> {}
    }
  }

  /// A deposed leader that nobody answers would keep a node that has a higher term and cannot win
  /// from ever joining in (thesis §4.2.3 with §9.6): show it the term.
  private void nudge(long deposed) {
    if (config.checkQuorum() || config.preVote()) {
      outbox.sendWhenDurable(new Message.AppendResponse(id, deposed, term, 0, false, 0, 0));
    }
  }

  // Elections.

  private boolean isPromotable() {
    return members.isVoter(id) && log.unstableSnapshot() == null;
  }

  private void hup(Campaign campaign) {
    if (role == Role.LEADER || !isPromotable() || hasUnappliedConfChange()) {
      trace("cannot campaign at term %d", term);
      return;
    }
    campaign(campaign);
  }

  /// A committed configuration change that is not applied may make this node no voter, or its
  /// majority none (RAFT-33).
  private boolean hasUnappliedConfChange() {
    long next = log.applied() + 1;
    while (next <= log.committed()) {
      List<Entry> page =
          log.slice(next, log.committed() + 1, Math.max(1, config.maxCommittedSizePerReady()));
      if (page == null) {
        throw new InvariantViolation("entry " + next + " is compacted before it was applied");
      }
      for (Entry entry : page) {
        if (entry.type() != EntryType.NORMAL) {
          return true;
        }
      }
      next += page.size();
    }
    return false;
  }

  private void campaign(Campaign campaign) {
    boolean asking = campaign == Campaign.PRE_VOTE;
    if (asking) {
      transitionToPreCandidate();
    } else {
      transitionToCandidate();
    }
    Bytes context = campaign == Campaign.TRANSFER ? CAMPAIGN_TRANSFER : Bytes.EMPTY;
    long lastIndex = log.lastIndex();
    long lastTerm = log.lastTerm();
    IdSet voters = members.voters();
    for (int i = 0; i < voters.size(); i++) {
      long to = voters.get(i);
      if (to == id && asking) {
        outbox.sendWhenDurable(new Message.PreVoteResponse(id, id, term + 1, false));
      } else if (to == id) {
        outbox.sendWhenDurable(new Message.VoteResponse(id, id, term, false));
      } else if (asking) {
        outbox.send(new Message.PreVote(id, to, term + 1, lastTerm, lastIndex, context));
      } else {
        outbox.send(new Message.Vote(id, to, term, lastTerm, lastIndex, context));
      }
    }
  }

  private void answerVote(Message.Vote request) {
    boolean mayVote = vote == request.from() || (vote == 0 && leader == 0);
    boolean grant = mayVote && log.isUpToDate(request.lastTerm(), request.lastIndex());
    if (grant) {
      timer.restart();
      vote = request.from();
    }
    long answerTerm = grant ? request.term() : term;
    outbox.sendWhenDurable(new Message.VoteResponse(id, request.from(), answerTerm, !grant));
  }

  private void answerPreVote(Message.PreVote request) {
    boolean mayVote = vote == request.from() || (vote == 0 && leader == 0) || request.term() > term;
    boolean grant = mayVote && log.isUpToDate(request.lastTerm(), request.lastIndex());
    long answerTerm = grant ? request.term() : term;
    outbox.sendWhenDurable(new Message.PreVoteResponse(id, request.from(), answerTerm, !grant));
  }

  private void countVote(Role candidate, long from, boolean granted) {
    if (candidacy == null || role != candidate) {
      return;
    }
    candidacy.record(from, granted);
    switch (candidacy.result(members.quorum())) {
      case PENDING -> {}
      case LOST -> transitionToFollower(term, 0);
      case WON -> {
        if (candidate == Role.PRE_CANDIDATE) {
          campaign(Campaign.ELECTION);
        } else {
          transitionToLeader();
        }
      }
    }
  }

  // Followers and candidates.

  /// What a node does that does not lead: a candidate gives way to a leader of its term, counts
  /// votes and refuses requests; a follower passes requests on.
  private Outcome stepFollowing(Message message) {
    switch (message) {
      case Message.Propose proposal -> {
        return forward(proposal);
      }
      case Message.Append append -> {
        follow(append.from());
        append(append);
      }
      case Message.CommitIndex news -> {
        follow(news.from());
        learnCommit(news);
      }
      case Message.Heartbeat beat -> {
        follow(beat.from());
        log.commitTo(beat.commit());
        outbox.send(new Message.HeartbeatResponse(id, beat.from(), term, beat.context()));
      }
      case Message.InstallSnapshot install -> {
        follow(install.from());
        install(install);
      }
      case Message.VoteResponse answer ->
          countVote(Role.CANDIDATE, answer.from(), !answer.reject());
      case Message.PreVoteResponse answer ->
          countVote(Role.PRE_CANDIDATE, answer.from(), !answer.reject());
      case Message.TimeoutNow now -> {
        if (role == Role.FOLLOWER) {
          hup(Campaign.TRANSFER);
        }
      }
      case Message.TransferLeader request -> {
        if (leader != 0 && role == Role.FOLLOWER) {
          outbox.send(new Message.TransferLeader(request.from(), leader, term));
        }
      }
      case Message.ReadIndex request -> {
        if (leader != 0 && role == Role.FOLLOWER) {
          long from = request.from() == 0 ? id : request.from();
          outbox.send(new Message.ReadIndex(from, leader, 0, request.context()));
        }
      }
      case Message.ReadIndexResponse answer ->
          outbox.add(new ReadState(answer.index(), answer.context()));
      case Message.ForgetLeader ignored -> forgetLeader();
      default -> {}
    }
    return ACCEPTED;
  }

  private Outcome forward(Message.Propose proposal) {
    if (leader == 0 || role != Role.FOLLOWER || config.disableProposalForwarding()) {
      return PROPOSAL_DROPPED;
    }
    long from = proposal.from() == 0 ? id : proposal.from();
    outbox.send(new Message.Propose(from, leader, 0, proposal.entries()));
    return ACCEPTED;
  }

  /// `from` leads this term: it sent what only a leader sends.
  private void follow(long from) {
    if (role != Role.FOLLOWER) {
      transitionToFollower(term, from);
    }
    timer.restart();
    leader = from;
  }

  private void forgetLeader() {
    if (role == Role.FOLLOWER
        && config.readOnly() != RaftConfig.ReadOnlyOption.LEASE_BASED
        && leader != 0) {
      trace("forgetting leader %x at term %d", leader, term);
      leader = 0;
    }
  }

  private void append(Message.Append append) {
    long from = append.from();
    long prev = append.prevIndex();
    if (prev < log.committed()) {
      acknowledge(from, log.committed());
    } else if (log.matches(prev, append.prevTerm())) {
      long last = log.appendMatching(prev, append.entries());
      log.commitTo(Math.min(append.commit(), last));
      acknowledge(from, last);
    } else {
      refuse(from, append.prevTerm(), prev);
    }
  }

  private void learnCommit(Message.CommitIndex news) {
    long prev = news.prevIndex();
    if (prev < log.committed()) {
      return;
    }
    if (log.matches(prev, news.prevTerm())) {
      log.commitTo(Math.min(news.commit(), prev));
    } else {
      refuse(news.from(), news.prevTerm(), prev);
    }
  }

  private void refuse(long leader, long prevTerm, long prev) {
    long hint = log.lastIndexWithTermUpTo(Math.min(prev, log.lastIndex()), prevTerm);
    long hintTerm = Math.max(0, log.term(hint));
    outbox.sendWhenDurable(
        new Message.AppendResponse(id, leader, term, prev, true, hint, hintTerm));
  }

  private void acknowledge(long to, long index) {
    outbox.sendWhenDurable(new Message.AppendResponse(id, to, term, index, false, 0, 0));
  }

  private void install(Message.InstallSnapshot install) {
    Snapshot snapshot = install.snapshot();
    boolean replaced = restore(snapshot);
    trace("%s snapshot at index %d", replaced ? "restored" : "ignored", snapshot.index());
    acknowledge(install.from(), replaced ? log.lastIndex() : log.committed());
  }

  /// Replaces log and configuration, unless the snapshot brings nothing new (RAFT-67).
  private boolean restore(Snapshot snapshot) {
    if (snapshot.index() <= log.committed()) {
      return false;
    }
    Configuration incoming = Configuration.restore(snapshot.confState());
    if (!incoming.members().contains(id)) {
      return false;
    }
    if (log.matches(snapshot.index(), snapshot.term())) {
      log.commitTo(snapshot.index());
      return false;
    }
    log.restore(snapshot);
    overtaken = overtaken == null ? members : overtaken;
    members = incoming;
    return true;
  }

  // Answers of storage.

  private void storageAppended(Message.StorageAppendResponse done) {
    if (done.index() != 0) {
      log.stable(done.index(), done.logTerm());
    }
    if (done.snapshot() != null) {
      snapshotApplied(done.snapshot());
    }
  }

  private void snapshotApplied(Snapshot snapshot) {
    log.stableSnapshot(snapshot.index());
    overtaken = log.unstableSnapshot() == null ? null : Configuration.restore(snapshot.confState());
    appliedTo(snapshot.index(), 0);
  }

  private void applied(List<Entry> entries) {
    appliedTo(entries.getLast().index(), RaftLog.encodedSize(entries));
    if (leadership != null) {
      leadership.reduceUncommitted(entries);
    }
  }

  /// Also called with an index that a snapshot has overtaken.
  private void appliedTo(long index, long bytes) {
    log.appliedTo(Math.max(index, log.applied()), bytes);
    if (leadership != null) {
      leadership.leaveJointIfDue();
    }
  }

  // Configuration.

  Configuration applyConfChange(ConfChange change) {
    if (overtaken != null) {
      // The snapshot has this change in it already, and maybe what undid it.
      overtaken = Changer.apply(overtaken, change);
      return overtaken;
    }
    members = Changer.apply(members, change);
    trace("switched to configuration voters=%s&&%s", members.incoming(), members.outgoing());
    if (leadership != null) {
      leadership.membersChanged();
    }
    return members;
  }

  // Proposals made here.

  Outcome propose(Bytes data) {
    return leadership == null
        ? forward(new Message.Propose(id, 0, 0, List.of(unstamped(EntryType.NORMAL, data))))
        : leadership.propose(data);
  }

  Outcome propose(EntryType type, Bytes... data) {
    List<Entry> entries = Arrays.stream(data).map(each -> unstamped(type, each)).toList();
    return step(new Message.Propose(id, 0, 0, entries));
  }

  private static Entry unstamped(EntryType type, Bytes data) {
    return new Entry(0, 0, type, data);
  }

  /// Forms the messages that a leader has put off until now, so that many proposals and
  /// acknowledgements share one append per follower.
  void flush() {
    if (leadership != null) {
      leadership.flush();
    }
  }

  /// Stops the member unless the invariants of the log, the leadership and this class hold. Run
  /// after every call when assertions are on; always true.
  boolean checkInvariants() {
    log.checkInvariants();
    boolean leads = role == Role.LEADER;
    boolean stands = role == Role.CANDIDATE || role == Role.PRE_CANDIDATE;
    if (leads != (leadership != null) || stands != (candidacy != null)) {
      throw new InvariantViolation(role + " with the wrong state of its role");
    }
    if ((leads && leader != id) || (stands && leader != 0)) {
      throw new InvariantViolation(role + " with leader " + leader);
    }
    if (leadership != null) {
      leadership.checkInvariants();
    }
    return true;
  }
}
