package dev.etcdj.raft.script;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.Ready;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.LogReader;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One node of a script: its storage, and an application that appends what it applies to one
/// string. A snapshot of every applied index is kept, and the newest one is what others are sent.
final class Member {
  private static final TextCodec CODEC = new TextCodec();

  final long id;
  final RaftConfig config;
  final RawNode node;
  final MemoryLog log = new MemoryLog();
  final Queue<Message.StorageAppend> appendWork = new ArrayDeque<>();
  final Queue<Message.StorageApply> applyWork = new ArrayDeque<>();
  private final List<Snapshot> history = new ArrayList<>();

  Member(long id, Snapshot start, UnaryOperator<RaftConfig> settings, RaftConfig template) {
    this.id = id;
    history.add(start);
    if (!start.isEmpty()) {
      log.applySnapshot(start);
    }
    config =
        settings.apply(
            new RaftConfig(
                id,
                template.electionTicks(),
                template.heartbeatTicks(),
                new NewestSnapshot(),
                CODEC,
                template.randomInt(),
                template.trace(),
                start.index(),
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
    node = new RawNode(config);
  }

  /// The member's log, with the application's newest snapshot.
  private final class NewestSnapshot implements LogReader {
    @Override
    public InitialState initialState() {
      return log.initialState();
    }

    @Override
    public @Nullable List<Entry> entries(long lo, long hi, long maxBytes) {
      return log.entries(lo, hi, maxBytes);
    }

    @Override
    public Terms term(long index) {
      return log.term(index);
    }

    @Override
    public long firstIndex() {
      return log.firstIndex();
    }

    @Override
    public long lastIndex() {
      return log.lastIndex();
    }

    @Override
    public Snapshot snapshot() {
      return history.getLast();
    }
  }

  Snapshot newestSnapshot() {
    return history.getLast();
  }

  /// Takes a Ready and acts on it; messages for others go to `network`.
  Ready processReady(List<Message> network) {
    Ready ready = node.ready();
    if (!config.asyncStorageWrites()) {
      store(ready.hardState(), ready.snapshot(), ready.entries());
      apply(ready.committedEntries());
    }
    for (Message message : ready.messages()) {
      switch (message) {
        case Message.StorageAppend work -> appendWork.add(work);
        case Message.StorageApply work -> applyWork.add(work);
        default -> network.add(message);
      }
    }
    if (!config.asyncStorageWrites()) {
      node.advance();
    }
    return ready;
  }

  void store(@Nullable HardState state, @Nullable Snapshot snapshot, List<Entry> entries) {
    if (state != null) {
      log.setHardState(state);
    }
    if (snapshot != null) {
      log.applySnapshot(snapshot);
      history.add(snapshot);
    }
    log.append(entries);
  }

  void apply(List<Entry> entries) {
    for (Entry entry : entries) {
      Snapshot before = history.getLast();
      ConfState confState = before.confState();
      Bytes update = entry.data();
      if (entry.type() != EntryType.NORMAL) {
        ConfChange change = CODEC.decode(entry);
        confState = node.applyConfChange(change);
        update = change.context();
      }
      String state = TextCodec.string(before.data()) + TextCodec.string(update);
      history.add(new Snapshot(entry.index(), entry.term(), confState, TextCodec.bytes(state)));
    }
  }
}
