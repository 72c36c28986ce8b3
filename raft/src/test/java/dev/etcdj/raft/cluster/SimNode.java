package dev.etcdj.raft.cluster;

import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.Ready;
import dev.etcdj.raft.Role;
import dev.etcdj.raft.TestHooks;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.LogReader;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.script.TextCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A node with a disk that forgets what was not synced, a storage thread and an apply thread whose
/// work is done when the cluster says so, and an application whose state is durable up to some
/// applied index.
final class SimNode {
  static final long COMPACTED = -1;
  private static final long MISSING = -2;
  private static final TextCodec CODEC = new TextCodec();

  final long id;
  private final Truth truth;
  private final Random random;
  private final Consumer<Message> network;
  private final RaftConfig template;

  /// What survives a crash.
  private final MemoryLog disk = new MemoryLog();

  private long durableApplied;
  private ConfState durableConf;

  /// What does not.
  private @Nullable RawNode raft;

  private MemoryLog log = new MemoryLog();
  private long applied;
  private ConfState conf;
  private final ArrayDeque<Message.StorageAppend> writing = new ArrayDeque<>();
  private final ArrayDeque<Message.StorageAppend> written = new ArrayDeque<>();
  private final ArrayDeque<Message.StorageApply> applying = new ArrayDeque<>();
  private final Map<Bytes, Long> reads = new HashMap<>();
  private HardState lastSeen = HardState.EMPTY;
  private boolean led;
  int readsAnswered;

  SimNode(
      long id,
      ConfState start,
      RaftConfig template,
      Truth truth,
      Random random,
      Consumer<Message> network) {
    this.id = id;
    this.truth = truth;
    this.random = random;
    this.network = network;
    this.template = template;
    durableConf = start;
    conf = start;
    start();
  }

  boolean isUp() {
    return raft != null;
  }

  RawNode raft() {
    if (raft == null) {
      throw new IllegalStateException(id + " is down");
    }
    return raft;
  }

  long applied() {
    return applied;
  }

  ConfState conf() {
    return conf;
  }

  boolean isLeader() {
    return raft != null && TestHooks.role(raft) == Role.LEADER;
  }

  boolean leadsWithoutBeingMember() {
    return isLeader() && !conf.voters().contains(id) && !conf.learners().contains(id);
  }

  private boolean async() {
    return template.asyncStorageWrites();
  }

  // Life and death.

  void start() {
    log = copyOfDisk();
    applied = durableApplied;
    conf = durableConf;
    log.setConfState(conf);
    raft =
        new RawNode(
            new RaftConfig(
                id,
                template.electionTicks(),
                template.heartbeatTicks(),
                log,
                CODEC,
                random::nextInt,
                template.trace(),
                applied,
                template.asyncStorageWrites(),
                template.maxSizePerMessage(),
                template.maxCommittedSizePerReady(),
                template.maxUncommittedSize(),
                template.maxInflightMessages(),
                template.maxInflightBytes(),
                template.checkQuorum(),
                template.preVote(),
                template.readOnly(),
                template.disableProposalForwarding(),
                template.stepDownOnRemoval(),
                template.unansweredCommits()));
    lastSeen = disk.hardState();
    led = false;
  }

  private MemoryLog copyOfDisk() {
    MemoryLog copy = new MemoryLog();
    // Nothing is compacted here but up to the newest snapshot.
    if (!disk.snapshot().isEmpty()) {
      copy.applySnapshot(disk.snapshot());
    }
    copy.append(entriesOf(disk));
    // The stored commit index may lie behind what the application has made durable, not before.
    HardState state = disk.hardState();
    long commit = Math.max(state.commit(), durableApplied);
    copy.setHardState(new HardState(state.term(), state.vote(), commit));
    return copy;
  }

  /// Writes that were not finished are lost, or done in part, the first ones first.
  void crash() {
    int survive = writing.isEmpty() ? 0 : random.nextInt(writing.size() + 1);
    for (int i = 0; i < survive; i++) {
      write(writing.remove());
    }
    writing.clear();
    written.clear();
    applying.clear();
    reads.clear();
    raft = null;
  }

  // Input.

  void receive(Message message) {
    if (raft != null) {
      raft.step(message);
    }
  }

  void read() {
    Bytes context = TextCodec.bytes("read-" + random.nextLong());
    reads.put(context, truth.highestApplied());
    raft().readIndex(context);
  }

  // The owner's loop.

  void work() {
    if (raft == null) {
      return;
    }
    while (raft.hasReady()) {
      Ready ready = raft.ready();
      observe(ready);
      if (async()) {
        dispatch(ready.messages());
      } else {
        synchronous(ready);
      }
    }
    checkMonotonic();
  }

  private void observe(Ready ready) {
    boolean leads = isLeader();
    if (leads && !led) {
      truth.becameLeader(this, TestHooks.hardState(raft()).term());
    }
    led = leads;
    for (ReadState state : ready.readStates()) {
      Long before = reads.remove(state.context());
      if (before != null) {
        Truth.require(
            state.index() >= before,
            "read at %d, but %d was applied when it began".formatted(state.index(), before));
        readsAnswered++;
      }
    }
  }

  private void checkMonotonic() {
    HardState now = TestHooks.hardState(raft());
    boolean forward = now.term() >= lastSeen.term() && now.commit() >= lastSeen.commit();
    boolean oneVote =
        now.term() > lastSeen.term() || lastSeen.vote() == 0 || now.vote() == lastSeen.vote();
    Truth.require(forward && oneVote, lastSeen + " became " + now);
    lastSeen = now;
  }

  private void dispatch(List<Message> messages) {
    for (Message message : messages) {
      switch (message) {
        case Message.StorageAppend work -> writing.add(work);
        case Message.StorageApply work -> applying.add(work);
        default -> send(message);
      }
    }
  }

  private void synchronous(Ready ready) {
    boolean leads = isLeader();
    if (leads) {
      ready.messages().forEach(this::send);
    }
    Message.StorageAppend batch =
        new Message.StorageAppend(
            id, 0, 0, ready.entries(), ready.hardState(), ready.snapshot(), List.of());
    write(batch);
    remember(batch);
    if (!leads) {
      ready.messages().forEach(this::send);
    }
    apply(ready.committedEntries());
    raft().advance();
  }

  /// One finished write, or its answer, or one batch applied.
  void storageStep() {
    if (raft == null) {
      return;
    }
    switch (random.nextInt(3)) {
      case 0 -> {
        if (!writing.isEmpty()) {
          Message.StorageAppend batch = writing.remove();
          write(batch);
          written.add(batch);
        }
      }
      case 1 -> {
        if (!written.isEmpty()) {
          Message.StorageAppend batch = written.remove();
          remember(batch);
          answer(batch.responses());
        }
      }
      default -> {
        if (!applying.isEmpty()) {
          Message.StorageApply batch = applying.remove();
          apply(batch.entries());
          answer(batch.responses());
        }
      }
    }
  }

  private void answer(List<Message> responses) {
    for (Message response : responses) {
      if (response.to() == id) {
        attest(response);
        raft().step(response);
      } else {
        send(response);
      }
    }
  }

  private void send(Message message) {
    attest(message);
    network.accept(message);
  }

  /// Whatever a message says is durable must be (RAFT-13).
  private void attest(Message message) {
    switch (message) {
      case Message.AppendResponse ack when !ack.reject() && ack.term() == disk.hardState().term() ->
          Truth.require(
              ack.index() <= disk.lastIndex(),
              "node %d acknowledges %d, its disk ends at %d"
                  .formatted(id, ack.index(), disk.lastIndex()));
      case Message.VoteResponse vote when !vote.reject() -> {
        HardState stored = disk.hardState();
        boolean kept =
            stored.term() > vote.term()
                || (stored.term() == vote.term() && stored.vote() == vote.to());
        Truth.require(kept, "node %d sends %s, its disk has %s".formatted(id, vote, stored));
      }
      default -> {}
    }
  }

  // Storage and application.

  private void write(Message.StorageAppend batch) {
    if (batch.hardState() != null) {
      disk.setHardState(batch.hardState());
    }
    if (batch.snapshot() != null) {
      Snapshot snapshot = batch.snapshot();
      truth.installed(this, snapshot.index(), snapshot.term());
      disk.applySnapshot(snapshot);
      durableApplied = snapshot.index();
      durableConf = snapshot.confState();
    }
    for (Entry entry : batch.entries()) {
      disk.append(List.of(entry));
      if (disk.term(entry.index() - 1) instanceof LogReader.Term(long previous)) {
        truth.wrote(entry, previous);
      }
    }
  }

  private void remember(Message.StorageAppend batch) {
    if (batch.snapshot() != null) {
      log.applySnapshot(batch.snapshot());
      applied = batch.snapshot().index();
      conf = batch.snapshot().confState();
    }
    if (batch.hardState() != null) {
      log.setHardState(batch.hardState());
    }
    log.append(batch.entries());
  }

  private void apply(List<Entry> entries) {
    long term = TestHooks.hardState(raft()).term();
    for (Entry entry : entries) {
      if (entry.index() <= applied) {
        continue; // overtaken by a snapshot
      }
      Truth.require(
          entry.index() == applied + 1, id + " applies " + entry.index() + " after " + applied);
      Truth.require(entry.index() <= disk.lastIndex(), id + " applies what is not durable");
      truth.applied(this, entry, term);
      if (entry.type() != EntryType.NORMAL) {
        conf = raft().applyConfChange(CODEC.decode(entry));
      }
      applied = entry.index();
    }
  }

  /// The application's state becomes durable.
  void flushApplication() {
    // A snapshot that is written and not yet installed is ahead.
    if (raft != null && applied > durableApplied) {
      durableApplied = applied;
      durableConf = conf;
    }
  }

  /// A snapshot of the durable state replaces the log below it.
  void compact() {
    if (raft == null || durableApplied < log.firstIndex() || durableApplied != applied) {
      return;
    }
    log.createSnapshot(applied, conf, Bytes.EMPTY);
    log.compact(applied);
    if (applied >= disk.firstIndex() && applied <= disk.lastIndex()) {
      disk.createSnapshot(applied, conf, Bytes.EMPTY);
      disk.compact(applied);
    }
  }

  private static List<Entry> entriesOf(MemoryLog log) {
    List<Entry> entries = log.entries(log.firstIndex(), log.lastIndex() + 1, Long.MAX_VALUE);
    return entries == null ? List.of() : new ArrayList<>(entries);
  }

  /// The term at `index`, in storage or on the way there.
  long termInWholeLog(long index) {
    for (var each = writing.descendingIterator(); each.hasNext(); ) {
      long term = termIn(each.next().entries(), index);
      if (term != MISSING) {
        return term;
      }
    }
    for (var each = written.descendingIterator(); each.hasNext(); ) {
      long term = termIn(each.next().entries(), index);
      if (term != MISSING) {
        return term;
      }
    }
    return switch (log.term(index)) {
      case LogReader.Term known -> known.term();
      case LogReader.Compacted gone -> COMPACTED;
      case LogReader.Unavailable none -> MISSING;
    };
  }

  private static long termIn(List<Entry> entries, long index) {
    if (entries.isEmpty() || index < entries.getFirst().index()) {
      return MISSING;
    }
    int at = (int) (index - entries.getFirst().index());
    return at < entries.size() ? entries.get(at).term() : 0;
  }
}
