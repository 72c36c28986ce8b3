package dev.etcdj.server.apply;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.Role;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.message.Message;
import dev.etcdj.server.peer.RaftpbConfChangeCodec;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.raftnode.RaftView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// A raft whose decisions the test makes. By default it leads alone in term 1 and commits whatever
/// is proposed at once.
public final class ScriptedRaft implements RaftHandle {
  public static final long SELF = 0x8e9e05c52164694dL;

  public final List<Entry> log = new ArrayList<>();
  public final List<Bytes> readIndexes = new ArrayList<>();
  public final List<Runnable> dropHooks = new ArrayList<>();
  public final List<Bytes> held = new ArrayList<>();
  public volatile long lastTickNanos = Long.MAX_VALUE / 2;
  public volatile boolean accept = true;
  public volatile boolean hold;
  public Predicate<ApplyTask> applyLoop = _ -> true;
  public Consumer<ReadState> readStates = _ -> {};
  public boolean answerReads;
  private volatile RaftView view = new RaftView(SELF, SELF, Role.LEADER, 1, 0, 1);
  private ConfState confState = ConfState.EMPTY;

  public synchronized void lead(long term) {
    view = new RaftView(SELF, SELF, Role.LEADER, term, view.committed(), view.leaderChanges() + 1);
  }

  public synchronized void follow(long leader, long term) {
    long changes = view.leaderChanges() + (leader == 0 || leader == view.leader() ? 0 : 1);
    view = new RaftView(SELF, leader, Role.FOLLOWER, term, view.committed(), changes);
  }

  public synchronized void committed(long index) {
    view = new RaftView(SELF, view.leader(), view.role(), view.term(), index, view.leaderChanges());
  }

  /// Appends and commits an entry and hands it to apply.
  public synchronized Entry commit(EntryType type, Bytes data) {
    Entry entry = new Entry(view.term(), log.size() + 1L, type, data);
    log.add(entry);
    committed(entry.index());
    if (!applyLoop.test(new ApplyTask.Entries(List.of(entry), () -> {}))) {
      throw new IllegalStateException("the apply queue is full");
    }
    return entry;
  }

  /// The entry by which a leader begins its term.
  public Entry commitEmpty() {
    return commit(EntryType.NORMAL, Bytes.EMPTY);
  }

  @Override
  public boolean propose(Bytes data, Runnable dropped) {
    if (!accept) {
      return false;
    }
    if (hold) {
      held.add(data);
      dropHooks.add(dropped);
    } else {
      commit(EntryType.NORMAL, data);
    }
    return true;
  }

  @Override
  public boolean proposeConfChange(ConfChange change, Runnable dropped) {
    commit(change.type(), new RaftpbConfChangeCodec().encode(change));
    return true;
  }

  @Override
  public boolean readIndex(Bytes context) {
    readIndexes.add(context);
    if (answerReads) {
      readStates.accept(new ReadState(view.committed(), context));
    }
    return true;
  }

  @Override
  public int step(List<Message> messages) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void reportUnreachable(long id) {}

  @Override
  public void reportSnapshot(long id, boolean failed) {}

  @Override
  public void transferLeader(long id) {}

  @Override
  public CompletableFuture<ConfState> applyConfChange(ConfChange change) {
    List<Long> voters = new ArrayList<>(confState.voters());
    for (ConfChange.Single single : change.changes()) {
      if (single.nodeId() != 0) {
        voters.remove(single.nodeId());
        if (single.kind() == ConfChange.Kind.ADD_NODE) {
          voters.add(single.nodeId());
        }
      }
    }
    confState = ConfState.ofVoters(voters.stream().sorted(Long::compareUnsigned).toList());
    return CompletableFuture.completedFuture(confState);
  }

  @Override
  public RaftView view() {
    return view;
  }

  @Override
  public long lastTickNanos() {
    return lastTickNanos;
  }
}
