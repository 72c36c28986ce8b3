package dev.etcdj.raft;

import dev.etcdj.raft.ConfChange.Kind;
import dev.etcdj.raft.RaftConfig.ReadOnlyOption;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.tracker.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One member's consensus state machine. Single-threaded: all calls come from the owner's thread.
///
/// The owner's loop: step what has come in, tick, then while [#hasReady] take a [#ready] and act
/// on it. Many steps should share a Ready: a leader forms its appends when it is asked for one.
///
/// Synchronous storage (RAFT-12): make `snapshot`, `hardState` and `entries` durable, repeat them
/// to the [dev.etcdj.raft.log.LogReader], send `messages`, apply `snapshot` and then
/// `committedEntries`, call [#advance]. A leader may send first (RAFT-13).
///
/// Asynchronous storage (RAFT-20..23): act on `messages` alone. For each
/// [Message.StorageAppend], in order: make its contents durable; when that is done, in this order,
/// repeat them to the log reader (snapshot, hard state, entries), install the snapshot in the
/// application if there is one, send the responses addressed to others, and [#step] those
/// addressed to this node. For each [Message.StorageApply], in order: apply its entries, calling
/// [#applyConfChange] for configuration changes, then step its responses. The two kinds are
/// independent of each other.
public final class RawNode {
  /// Whether a proposal or message was taken.
  public sealed interface Outcome permits Accepted, Dropped {}

  /// Taken; says nothing about being committed.
  public record Accepted() implements Outcome {}

  /// Refused for good, nothing was changed (RAFT-60, RAFT-24).
  public record Dropped(String reason) implements Outcome {}

  /// A member of a fresh log (RAFT-4).
  public record Peer(long id, Bytes context) {}

  private static final Outcome LOCAL_FROM_PEER =
      new Dropped("raft: cannot step raft local message");
  private static final Outcome UNKNOWN_PEER = new Dropped("raft: cannot step as peer not found");

  private final RaftConfig config;
  private final Raft raft;
  private final boolean async;
  private SoftState previousSoft;
  private HardState previousHard;

  /// Synchronous storage: what to step once the last Ready is dealt with. Null when none is out.
  private @Nullable List<Message> stepsOnAdvance;

  /// Starts or restarts a node from what `config.log` holds (RAFT-3).
  ///
  /// @throws IllegalArgumentException when the settings are not usable (RAFT-1)
  public RawNode(RaftConfig config) {
    validate(config);
    this.config = config;
    this.async = config.asyncStorageWrites();
    raft = new Raft(config);
    previousSoft = softState();
    previousHard = raft.hardState();
  }

  private static void validate(RaftConfig config) {
    require(config.id() != 0, "cannot use none as id");
    require(
        config.id() != Message.LOCAL_APPEND_THREAD && config.id() != Message.LOCAL_APPLY_THREAD,
        "cannot use local target as id");
    require(config.heartbeatTicks() > 0, "heartbeat tick must be greater than 0");
    require(
        config.electionTicks() > config.heartbeatTicks(),
        "election tick must be greater than heartbeat tick");
    require(config.maxInflightMessages() > 0, "max inflight messages must be greater than 0");
    require(
        config.maxInflightBytes() == 0 || config.maxInflightBytes() >= config.maxSizePerMessage(),
        "max inflight bytes must be >= max message size");
    require(
        config.readOnly() != ReadOnlyOption.LEASE_BASED || config.checkQuorum(),
        "CheckQuorum must be enabled when ReadOnlyOption is ReadOnlyLeaseBased");
  }

  private static void require(boolean usable, String otherwise) {
    if (!usable) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /// Writes the first entries of a fresh log (RAFT-4). `peers` ascending by id.
  ///
  /// @throws IllegalArgumentException without peers, or when the log is not fresh
  public void bootstrap(List<Peer> peers) {
    require(!peers.isEmpty(), "must provide at least one peer to Bootstrap");
    require(config.log().lastIndex() == 0, "can't bootstrap a nonempty Storage");
    previousHard = HardState.EMPTY;
    raft.transitionToFollower(1, 0);
    for (Peer peer : peers) {
      ConfChange join = ConfChange.single(Kind.ADD_NODE, peer.id(), 0, peer.context());
      Bytes data = config.confChangeCodec().encode(join);
      raft.log.append(new Entry(1, raft.log.lastIndex() + 1, join.type(), data));
      // In force at once, so that the node can campaign; applying the entry repeats it.
      raft.applyConfChange(join);
    }
    raft.log.commitTo(peers.size());
    assert raft.checkInvariants();
  }

  /// One tick of the logical clock.
  public void tick() {
    raft.tick();
    assert raft.checkInvariants();
  }

  /// Counts one tick towards the election without acting on it (RAFT-112).
  public void tickQuiesced() {
    raft.timer.tick();
  }

  /// Stands for election, unless that is not possible now (RAFT-32, RAFT-33).
  public Outcome campaign() {
    return stepInside(new Message.Hup(config.id(), config.id(), 0));
  }

  /// Proposes one normal entry.
  public Outcome propose(Bytes data) {
    Outcome outcome = raft.propose(data);
    assert raft.checkInvariants();
    return outcome;
  }

  /// Proposes several normal entries at once; all or none are taken.
  public Outcome propose(List<Bytes> data) {
    Outcome outcome = raft.propose(EntryType.NORMAL, data.toArray(Bytes[]::new));
    assert raft.checkInvariants();
    return outcome;
  }

  /// Proposes a change of the configuration. One that comes at the wrong time is accepted and
  /// replaced by an empty normal entry (RAFT-90).
  public Outcome proposeConfChange(ConfChange change) {
    Outcome outcome = raft.propose(change.type(), config.confChangeCodec().encode(change));
    assert raft.checkInvariants();
    return outcome;
  }

  /// Whether the whole log is committed, as far as this node knows.
  public boolean isCommitted() {
    return raft.log.committed() == raft.log.lastIndex();
  }

  /// Whether committed entries are held back until some of those handed out are applied.
  public boolean awaitsApply() {
    return raft.log.awaitsApply();
  }

  /// Puts a committed change into force (RAFT-91); call it before applying later entries. An entry
  /// that was handed out before a snapshot came in may still be applied until the snapshot is
  /// installed, and not after: the change then counts for what this returns, and not for the node,
  /// which is on the snapshot's configuration already.
  ///
  /// @return the configuration as of the entry that holds the change
  /// @throws InvariantViolation when the change is impossible (RAFT-93, RAFT-94)
  public ConfState applyConfChange(ConfChange change) {
    ConfState inForce = raft.applyConfChange(change).confState();
    assert raft.checkInvariants();
    return inForce;
  }

  /// Takes a message from a peer, or a response that a storage message carried.
  public Outcome step(Message message) {
    if (message instanceof Message.Local && !isStorageThread(message.from())) {
      return LOCAL_FROM_PEER;
    }
    if (isResponse(message)
        && !isStorageThread(message.from())
        && !raft.members().members().contains(message.from())) {
      return UNKNOWN_PEER;
    }
    return stepInside(message);
  }

  private Outcome stepInside(Message message) {
    Outcome outcome = raft.step(message);
    assert raft.checkInvariants();
    return outcome;
  }

  private static boolean isStorageThread(long from) {
    return from == Message.LOCAL_APPEND_THREAD || from == Message.LOCAL_APPLY_THREAD;
  }

  private static boolean isResponse(Message message) {
    return message instanceof Message.AppendResponse
        || message instanceof Message.HeartbeatResponse
        || message instanceof Message.VoteResponse
        || message instanceof Message.PreVoteResponse
        || message instanceof Message.ReadIndexResponse;
  }

  /// Whether [#ready] would give anything (RAFT-19).
  public boolean hasReady() {
    raft.flush();
    return !raft.outbox.isEmpty()
        || raft.log.hasNextEntries()
        || raft.log.nextSnapshot() != null
        || raft.log.hasNextCommitted(!async)
        || softStateChanged()
        || hardStateChanged();
  }

  private boolean softStateChanged() {
    return raft.leader() != previousSoft.leader() || raft.role() != previousSoft.role();
  }

  private boolean hardStateChanged() {
    return raft.log.committed() != previousHard.commit() || termOrVoteChanged();
  }

  private boolean termOrVoteChanged() {
    return raft.term() != previousHard.term() || raft.vote() != previousHard.vote();
  }

  private SoftState softState() {
    return new SoftState(raft.leader(), raft.role());
  }

  /// Everything that has become due since the last one. The caller must act on it.
  ///
  /// @throws IllegalStateException synchronous storage: the last Ready was not advanced
  public Ready ready() {
    if (stepsOnAdvance != null) {
      throw new IllegalStateException("the last Ready is not advanced");
    }
    raft.flush();
    List<Entry> entries = raft.log.nextEntries();
    List<Entry> committed = raft.log.nextCommitted(!async);
    SoftState soft = softStateChanged() ? softState() : null;
    boolean mustSync = !entries.isEmpty() || termOrVoteChanged();
    HardState hard = hardStateChanged() ? raft.hardState() : null;
    Snapshot snapshot = raft.log.nextSnapshot();
    List<Message> messages = raft.outbox.takeNow();
    List<Message> deferred = takeDeferred();
    if (async) {
      addStorageAppend(messages, entries, hard, snapshot, deferred);
      addStorageApply(messages, committed);
    } else {
      stepsOnAdvance = splitOwn(deferred, messages);
      addStorageResponses(stepsOnAdvance, committed, snapshot);
    }
    if (soft != null) {
      previousSoft = soft;
    }
    if (hard != null) {
      previousHard = hard;
    }
    raft.log.handOver();
    if (!committed.isEmpty()) {
      raft.log.acceptApplying(committed, !async);
    }
    assert raft.checkInvariants();
    return new Ready(
        soft, hard, raft.outbox.takeReadStates(), entries, snapshot, committed, messages, mustSync);
  }

  private List<Message> takeDeferred() {
    List<Message> deferred = raft.outbox.takeDeferred();
    Leadership leadership = raft.leadership();
    Message ack = leadership == null ? null : leadership.takeSelfAck();
    if (ack != null) {
      deferred.add(ack);
    }
    return deferred;
  }

  private void addStorageAppend(
      List<Message> messages,
      List<Entry> entries,
      @Nullable HardState hard,
      @Nullable Snapshot snapshot,
      List<Message> responses) {
    if (entries.isEmpty() && hard == null && snapshot == null && responses.isEmpty()) {
      return;
    }
    Message attestation = storageAppendResponse(snapshot);
    if (attestation != null) {
      responses.add(attestation);
    }
    messages.add(
        new Message.StorageAppend(
            config.id(), Message.LOCAL_APPEND_THREAD, 0, entries, hard, snapshot, responses));
  }

  /// Attests the whole unstable log whenever there is any, also if this batch adds no entries: an
  /// earlier attestation may have been void because the term had moved on since (RAFT-22).
  private @Nullable Message storageAppendResponse(@Nullable Snapshot snapshot) {
    boolean attests = raft.log.hasUnstableEntries();
    if (!attests && snapshot == null) {
      return null;
    }
    return new Message.StorageAppendResponse(
        Message.LOCAL_APPEND_THREAD,
        config.id(),
        raft.term(),
        attests ? raft.log.lastIndex() : 0,
        attests ? raft.log.lastTerm() : 0,
        snapshot);
  }

  private void addStorageApply(List<Message> messages, List<Entry> committed) {
    if (committed.isEmpty()) {
      return;
    }
    Message applied =
        new Message.StorageApplyResponse(Message.LOCAL_APPLY_THREAD, config.id(), 0, committed);
    messages.add(
        new Message.StorageApply(
            config.id(), Message.LOCAL_APPLY_THREAD, 0, committed, List.of(applied)));
  }

  /// Keeps back what is addressed to this node and adds the rest to `messages`.
  private List<Message> splitOwn(List<Message> deferred, List<Message> messages) {
    List<Message> own = new ArrayList<>();
    for (Message message : deferred) {
      (message.to() == config.id() ? own : messages).add(message);
    }
    return own;
  }

  private void addStorageResponses(
      List<Message> steps, List<Entry> committed, @Nullable Snapshot snapshot) {
    Message appended = storageAppendResponse(snapshot);
    if (appended != null) {
      steps.add(appended);
    }
    if (!committed.isEmpty()) {
      steps.add(
          new Message.StorageApplyResponse(Message.LOCAL_APPLY_THREAD, config.id(), 0, committed));
    }
  }

  /// Synchronous mode only: the last Ready is dealt with (RAFT-12).
  ///
  /// @throws IllegalStateException with asynchronous storage, or when no Ready is out
  public void advance() {
    List<Message> steps = stepsOnAdvance;
    if (steps == null) {
      throw new IllegalStateException("there is no Ready to advance");
    }
    stepsOnAdvance = null;
    for (Message message : steps) {
      stepInside(message);
    }
  }

  /// The last message to `id` was not delivered (RAFT-55).
  public void reportUnreachable(long id) {
    stepInside(new Message.Unreachable(id, config.id(), 0));
  }

  /// How the snapshot sent to `id` ended (RAFT-66). Owed for each one in `messages` (RAFT-17).
  public void reportSnapshot(long id, boolean failed) {
    stepInside(new Message.SnapshotStatus(id, config.id(), 0, failed));
  }

  /// Asks the leader to hand over to `transferee` (RAFT-80..82).
  public void transferLeader(long transferee) {
    stepInside(new Message.TransferLeader(transferee, config.id(), 0));
  }

  /// Follower: behaves as if the leader were unknown until it is heard again (RAFT-49).
  public Outcome forgetLeader() {
    return stepInside(new Message.ForgetLeader(config.id(), config.id(), 0));
  }

  /// Asks for a [ReadState] with `context`. Without a leader, or when messages are lost, none
  /// comes and the caller must ask again (RAFT-76).
  public void readIndex(Bytes context) {
    stepInside(new Message.ReadIndex(0, config.id(), 0, context));
  }

  /// A picture of the node as it is now.
  public Status status() {
    Map<Long, Status.ProgressView> progress = new LinkedHashMap<>();
    Leadership leadership = raft.leadership();
    if (leadership != null) {
      for (Progress each : leadership.tracker().all()) {
        progress.put(each.id(), view(each));
      }
    }
    return new Status(
        config.id(),
        raft.hardState(),
        softState(),
        raft.log.applied(),
        raft.log.lastIndex(),
        raft.members().confState(),
        progress);
  }

  private Status.ProgressView view(Progress of) {
    return new Status.ProgressView(
        of.match(),
        of.next(),
        of.state().toString(),
        of.recentlyActive(),
        raft.members().isLearner(of.id()));
  }

  /// The state machine itself, for tests of this package.
  Raft raft() {
    return raft;
  }
}
