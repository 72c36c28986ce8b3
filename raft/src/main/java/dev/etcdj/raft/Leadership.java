package dev.etcdj.raft;

import dev.etcdj.raft.ConfChange.Transition;
import dev.etcdj.raft.RaftConfig.ReadOnlyOption;
import dev.etcdj.raft.RawNode.Dropped;
import dev.etcdj.raft.RawNode.Outcome;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.RaftLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.readindex.PendingReads;
import dev.etcdj.raft.tracker.Progress;
import dev.etcdj.raft.tracker.ProgressState;
import dev.etcdj.raft.tracker.ProgressTracker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a node does while it leads. One object serves one reign, so that nothing of an earlier
/// reign can leak into a later one.
///
/// Appends and heartbeats are not formed by the step that makes them due but by [#flush], which
/// runs when a Ready is looked for. Everything proposed and acknowledged since the last Ready then
/// shares one append per follower.
final class Leadership {
  /// Reads held until the first commit of the term; more are dropped, as without a leader.
  private static final int MAX_EARLY_READS = 4096;

  private static final Outcome MALFORMED = new Dropped("malformed configuration change");

  private final Raft raft;
  private final RaftConfig config;
  private final RaftLog log;
  private final long id;
  private final long term;
  private final ProgressTracker tracker;
  private final PendingReads reads = new PendingReads();
  private final ArrayDeque<Message.ReadIndex> earlyReads = new ArrayDeque<>();

  /// No configuration change may be proposed until this index is applied (RAFT-90).
  private long pendingConfIndex;

  /// Payload bytes proposed and not applied; an estimate that starts at 0 with each reign.
  private long uncommittedBytes;

  private long transferee;
  private boolean selfAckDue;
  private boolean appendsDue;
  private boolean heartbeatDue;
  private boolean timeoutNowDue;

  Leadership(Raft raft) {
    this.raft = raft;
    this.config = raft.config;
    this.log = raft.log;
    this.id = raft.id;
    this.term = raft.term();
    this.tracker = new ProgressTracker(config.maxInflightMessages(), config.maxInflightBytes());
  }

  /// Takes office: nothing is known of the others, and an empty entry of the new term lets earlier
  /// ones be committed (thesis §3.6.2, §6.4; RAFT-46).
  void begin() {
    tracker.follow(raft.members(), log.lastIndex() + 1);
    for (Progress each : tracker.all()) {
      each.recentlyActive(each.id() == id);
      if (each.id() == id) {
        each.transitionToReplicate();
      }
    }
    // Whatever is in the log may hold an unapplied change, and looking for it could cost a lot.
    pendingConfIndex = log.lastIndex();
    append(EntryType.NORMAL, Bytes.EMPTY);
  }

  ProgressTracker tracker() {
    return tracker;
  }

  long transferee() {
    return transferee;
  }

  // The step function of a leader.

  Outcome step(Message message) {
    switch (message) {
      case Message.Propose proposal -> {
        return propose(proposal.entries());
      }
      case Message.AppendResponse response -> {
        Progress from = tracker.get(response.from());
        if (from != null) {
          appendAnswered(from, response);
        }
      }
      case Message.HeartbeatResponse response -> {
        Progress from = tracker.get(response.from());
        if (from != null) {
          heartbeatAnswered(from, response);
        }
      }
      case Message.Beat ignored -> heartbeatDue = true;
      case Message.CheckQuorum ignored -> {
        if (!tracker.checkQuorumActive(id)) {
          raft.trace("stepped down to follower since quorum is not active");
          raft.transitionToFollower(term, 0);
        }
      }
      case Message.ReadIndex request -> readIndex(request);
      case Message.TransferLeader request -> transferTo(request.from());
      case Message.Unreachable report -> {
        Progress of = tracker.get(report.from());
        if (of != null && of.state() == ProgressState.REPLICATE) {
          of.transitionToProbe();
        }
      }
      case Message.SnapshotStatus report -> snapshotReported(report);
      default -> {}
    }
    return Raft.ACCEPTED;
  }

  // Proposals.

  /// One normal entry: the path of every write.
  Outcome propose(Bytes data) {
    if (refusesProposals() || exceedsUncommitted(data.length())) {
      return Raft.PROPOSAL_DROPPED;
    }
    append(EntryType.NORMAL, data);
    return Raft.ACCEPTED;
  }

  private Outcome propose(List<Entry> proposed) {
    if (proposed.isEmpty() || refusesProposals()) {
      return Raft.PROPOSAL_DROPPED;
    }
    List<Entry> admitted = new ArrayList<>(proposed.size());
    long pending = pendingConfIndex;
    long payload = 0;
    for (Entry entry : proposed) {
      Entry kept = entry;
      if (entry.type() != EntryType.NORMAL) {
        ConfChange change = decode(entry);
        if (change == null) {
          return MALFORMED;
        }
        if (isUntimely(change, pending)) {
          // The proposer is not told: its entry is there, without effect (RAFT-90).
          kept = new Entry(0, 0, EntryType.NORMAL, Bytes.EMPTY);
        } else {
          pending = log.lastIndex() + admitted.size() + 1;
        }
      }
      admitted.add(kept);
      payload += kept.data().length();
    }
    if (exceedsUncommitted(payload)) {
      return Raft.PROPOSAL_DROPPED;
    }
    pendingConfIndex = pending;
    for (Entry entry : admitted) {
      append(entry.type(), entry.data());
    }
    return Raft.ACCEPTED;
  }

  private boolean refusesProposals() {
    return transferee != 0 || tracker.get(id) == null;
  }

  /// The limit never holds up a proposal when nothing is uncommitted, nor an empty one: those let
  /// the log move on at all (RAFT-60).
  private boolean exceedsUncommitted(long payload) {
    return config.maxUncommittedSize() > 0
        && uncommittedBytes > 0
        && payload > 0
        && uncommittedBytes + payload > config.maxUncommittedSize();
  }

  private @Nullable ConfChange decode(Entry entry) {
    if (entry.type() == EntryType.CONF_CHANGE_V2 && entry.data().isEmpty()) {
      return new ConfChange(entry.type(), Transition.AUTO, List.of(), 0, Bytes.EMPTY);
    }
    try {
      return config.confChangeCodec().decode(entry);
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  private boolean isUntimely(ConfChange change, long pending) {
    boolean leaves = change.leavesJoint();
    return pending > log.applied() || leaves != raft.members().isJoint();
  }

  private void append(EntryType type, Bytes data) {
    uncommittedBytes += data.length();
    log.append(new Entry(term, log.lastIndex() + 1, type, data));
    selfAckDue = true;
    appendsDue = true;
  }

  void reduceUncommitted(List<Entry> applied) {
    if (uncommittedBytes == 0) {
      return;
    }
    long payload = 0;
    for (int i = 0; i < applied.size(); i++) {
      payload += applied.get(i).data().length();
    }
    // Entries of earlier reigns were never counted here.
    uncommittedBytes = Math.max(0, uncommittedBytes - payload);
  }

  // Replication.

  private void appendAnswered(Progress from, Message.AppendResponse response) {
    from.recentlyActive(true);
    if (response.reject()) {
      appendRejected(from, response);
      return;
    }
    boolean news = from.acknowledge(response.index());
    if (!news && !(from.match() == response.index() && from.state() == ProgressState.PROBE)) {
      return;
    }
    switch (from.state()) {
      case PROBE -> from.transitionToReplicate();
      case SNAPSHOT -> {
        if (from.match() + 1 >= log.firstIndex()) {
          from.transitionToReplicate();
        }
      }
      case REPLICATE -> from.inflights().freeThrough(response.index());
    }
    appendsDue = true;
    if (maybeCommit()) {
      releaseEarlyReads();
    }
    timeoutNowDue |= from.id() == transferee && from.match() == log.lastIndex();
  }

  private void appendRejected(Progress from, Message.AppendResponse response) {
    long probe = response.rejectHint();
    if (response.hintTerm() > 0) {
      probe = log.lastIndexWithTermUpTo(Math.min(probe, log.lastIndex()), response.hintTerm());
    }
    if (from.reject(response.index(), probe)) {
      if (from.state() == ProgressState.REPLICATE) {
        from.transitionToProbe();
      }
      appendDueTo(from);
    }
  }

  private boolean maybeCommit() {
    long quorum = tracker.committed();
    // An entry of an earlier term may still be replaced, however many hold it (thesis §3.6.2).
    if (quorum <= log.committed() || !log.matches(quorum, term)) {
      return false;
    }
    log.commitTo(quorum);
    return true;
  }

  private void appendDueTo(Progress to) {
    to.emptyAppendDue(true);
    appendsDue = true;
  }

  /// The own entries since the last call await durability: the leader's acknowledgement to itself
  /// (RAFT-13). One serves them all.
  Message.@Nullable AppendResponse takeSelfAck() {
    if (!selfAckDue) {
      return null;
    }
    selfAckDue = false;
    return new Message.AppendResponse(id, id, term, log.lastIndex(), false, 0, 0);
  }

  /// Forms the heartbeats and appends that have become due.
  void flush() {
    if (heartbeatDue) {
      heartbeatDue = false;
      sendHeartbeats();
    }
    if (appendsDue) {
      appendsDue = false;
      for (int i = 0; i < tracker.size(); i++) {
        Progress to = tracker.at(i);
        if (to.id() != id) {
          sendAppends(to);
        }
      }
    }
    if (timeoutNowDue) {
      // Behind the appends: the target takes the newest commit index into its campaign.
      timeoutNowDue = false;
      raft.outbox.send(new Message.TimeoutNow(id, transferee, term));
    }
  }

  private void sendAppends(Progress to) {
    boolean sent = false;
    while (!to.isPaused() && sendAppend(to, false)) {
      sent = true;
    }
    boolean emptyDue = to.emptyAppendDue();
    to.emptyAppendDue(false);
    if (sent || to.isPaused()) {
      return;
    }
    boolean news = to.canRaiseCommit(log.committed());
    boolean wantsAnswer = !config.unansweredCommits() || to.state() != ProgressState.REPLICATE;
    if (emptyDue || (news && wantsAnswer)) {
      sendAppend(to, true);
    } else if (news) {
      sendCommitIndex(to);
    }
  }

  /// Nothing depends on an answer: that the member has the entries it tells itself once they are
  /// durable, and the next heartbeat makes good for news that is lost.
  private void sendCommitIndex(Progress to) {
    long prev = to.next() - 1;
    long prevTerm = log.term(prev);
    if (prevTerm == RaftLog.NO_TERM) {
      // It waits for a snapshot that cannot be sent yet.
      return;
    }
    raft.outbox.send(new Message.CommitIndex(id, to.id(), term, prevTerm, prev, log.committed()));
    to.sentCommit(log.committed());
  }

  /// Sends one append, or a snapshot if the entries for it are gone.
  ///
  /// @return whether anything was sent
  private boolean sendAppend(Progress to, boolean evenIfEmpty) {
    long prev = to.next() - 1;
    long prevTerm = log.term(prev);
    if (prevTerm == RaftLog.NO_TERM) {
      return sendSnapshot(to);
    }
    List<Entry> entries = List.of();
    if (to.state() == ProgressState.PROBE || !to.inflights().isFull()) {
      List<Entry> found = log.entries(to.next(), config.maxSizePerMessage());
      if (found == null) {
        return sendSnapshot(to);
      }
      entries = found;
    }
    if (entries.isEmpty() && !evenIfEmpty) {
      return false;
    }
    raft.outbox.send(
        new Message.Append(id, to.id(), term, prevTerm, prev, entries, log.committed()));
    to.sentEntries(entries.size(), payloadBytes(entries));
    to.sentCommit(log.committed());
    return true;
  }

  private long payloadBytes(List<Entry> entries) {
    if (config.maxInflightBytes() == 0) {
      return 0;
    }
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      bytes += entries.get(i).data().length();
    }
    return bytes;
  }

  private boolean sendSnapshot(Progress to) {
    if (!to.recentlyActive()) {
      return false;
    }
    Snapshot snapshot = log.snapshot();
    if (snapshot == null) {
      return false;
    }
    if (snapshot.isEmpty()) {
      throw new InvariantViolation("the log is compacted and there is no snapshot");
    }
    raft.trace("sent snapshot at index %d to %x", snapshot.index(), to.id());
    to.transitionToSnapshot(snapshot.index());
    raft.outbox.send(new Message.InstallSnapshot(id, to.id(), term, snapshot));
    return true;
  }

  private void snapshotReported(Message.SnapshotStatus report) {
    Progress of = tracker.get(report.from());
    if (of == null || of.state() != ProgressState.SNAPSHOT) {
      return;
    }
    if (report.reject()) {
      of.transitionToProbeWithoutSnapshot();
    } else {
      of.transitionToProbe();
    }
    of.pause();
  }

  // Heartbeats and reads.

  private void sendHeartbeats() {
    Bytes context = reads.context();
    for (int i = 0; i < tracker.size(); i++) {
      Progress to = tracker.at(i);
      if (to.id() != id) {
        // Above its match a follower may hold entries that are not the leader's.
        long commit = Math.min(to.match(), log.committed());
        raft.outbox.send(new Message.Heartbeat(id, to.id(), term, commit, context));
        to.sentCommit(commit);
      }
    }
  }

  private void heartbeatAnswered(Progress from, Message.HeartbeatResponse response) {
    from.recentlyActive(true);
    from.unpause();
    if (from.match() < log.lastIndex() || from.state() == ProgressState.PROBE) {
      appendDueTo(from);
    }
    if (config.readOnly() == ReadOnlyOption.SAFE && !response.context().isEmpty()) {
      reads.confirm(from.id(), response.context(), tracker, this::answer);
    }
  }

  private void readIndex(Message.ReadIndex request) {
    if (raft.members().isSingleVoter()) {
      answer(request, log.committed());
    } else if (log.matches(log.committed(), term)) {
      confirm(request);
    } else if (earlyReads.size() < MAX_EARLY_READS) {
      earlyReads.add(request);
    }
  }

  /// Until it has committed an entry of its own a leader does not know what is committed (thesis
  /// §6.4), so reads had to wait.
  private void releaseEarlyReads() {
    while (!earlyReads.isEmpty()) {
      confirm(earlyReads.remove());
    }
  }

  private void confirm(Message.ReadIndex request) {
    switch (config.readOnly()) {
      case LEASE_BASED -> answer(request, log.committed());
      case SAFE -> {
        if (!reads.isFull()) {
          reads.add(request, log.committed(), id);
          heartbeatDue = true;
        }
      }
    }
  }

  private void answer(Message.ReadIndex request, long index) {
    if (request.from() == 0 || request.from() == id) {
      raft.outbox.add(new ReadState(index, request.context()));
    } else {
      raft.outbox.send(
          new Message.ReadIndexResponse(id, request.from(), term, index, request.context()));
    }
  }

  // Leadership transfer (thesis §3.10).

  private void transferTo(long target) {
    Progress to = tracker.get(target);
    if (to == null || raft.members().isLearner(target) || target == transferee) {
      return;
    }
    abortTransfer();
    if (target == id) {
      return;
    }
    raft.timer.restart();
    transferee = target;
    if (to.match() == log.lastIndex()) {
      timeoutNowDue = true;
    } else {
      appendDueTo(to);
    }
  }

  void abortTransfer() {
    transferee = 0;
    timeoutNowDue = false;
  }

  // Configuration.

  /// The configuration has changed: others may be a quorum now (RAFT-98).
  void membersChanged() {
    tracker.follow(raft.members(), Math.max(log.lastIndex(), 1));
    if (tracker.get(id) == null || raft.members().isLearner(id)) {
      if (config.stepDownOnRemoval()) {
        raft.transitionToFollower(term, 0);
      }
      return;
    }
    if (maybeCommit()) {
      releaseEarlyReads();
    }
    appendsDue = true;
    if (transferee != 0 && !raft.members().isVoter(transferee)) {
      abortTransfer();
    }
  }

  /// A joint configuration that leaves by itself is left once nothing stands before it (RAFT-95).
  /// A refusal is made good when the next entry is applied.
  void leaveJointIfDue() {
    if (raft.members().autoLeave() && log.applied() >= pendingConfIndex) {
      raft.propose(EntryType.CONF_CHANGE_V2, Bytes.EMPTY);
    }
  }

  void checkInvariants() {
    tracker.checkInvariants();
    if (raft.term() != term || log.term(log.lastIndex()) != term) {
      throw new InvariantViolation("leader of term %d with a foreign tail".formatted(term));
    }
  }
}
