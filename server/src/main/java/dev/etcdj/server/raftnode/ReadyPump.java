package dev.etcdj.server.raftnode;

import dev.etcdj.raft.Ready;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.server.apply.ApplyTask;
import dev.etcdj.server.peer.PeerTransport;
import dev.etcdj.wal.WalAppend;
import dev.etcdj.wal.WalSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Takes a `Ready` apart: storage work to the log writer, committed entries to the apply loop,
/// the rest to the peers. Raft loop only.
///
/// The order of storage work is the order raft gave it, whatever the queues behind it accept.
public final class ReadyPump {
  /// Storage work that may wait here while the log writer's queue is full. Small: it only has to
  /// carry heartbeats' terms and votes past a stalled disk.
  private static final int MAX_WAITING = 64;

  private final long self;
  private final MemoryLog log;
  private final Predicate<WalAppend> walWriter;
  private final Runnable flushLog;
  private final Predicate<ApplyTask> applyLoop;
  private final PeerTransport peers;
  private final Deque<WalAppend> waitingForLog = new ArrayDeque<>();
  private final Deque<ApplyTask> waitingForApply = new ArrayDeque<>();
  private final List<Message> outgoing = new ArrayList<>();
  private @Nullable Consumer<Input> answers;
  private Consumer<Message> step = _ -> {};

  /// Appends that must be durable and are not yet known to be.
  private int undurable;
  private LongConsumer snapshotLeaves = _ -> {};

  /// @param walWriter takes an append, or refuses it while its queue is full
  /// @param flushLog has the log writer write what need not be synced
  /// @param applyLoop takes a task, or refuses it while its queue is full
  public ReadyPump(
      long self,
      MemoryLog log,
      Predicate<WalAppend> walWriter,
      Runnable flushLog,
      Predicate<ApplyTask> applyLoop,
      PeerTransport peers) {
    this.self = self;
    this.log = log;
    this.walWriter = walWriter;
    this.flushLog = flushLog;
    this.applyLoop = applyLoop;
    this.peers = peers;
  }

  /// @param step receives raft's promises to itself
  /// @param snapshotLeaves told the receiver of every snapshot that is handed to the peers
  void connect(Consumer<Input> answers, Consumer<Message> step, LongConsumer snapshotLeaves) {
    this.answers = answers;
    this.step = step;
    this.snapshotLeaves = snapshotLeaves;
  }

  /// Whether another `Ready` may be taken.
  boolean accepts() {
    return waitingForLog.size() < MAX_WAITING && waitingForApply.size() < MAX_WAITING;
  }

  /// Whether client proposals may be taken: not while the disk is behind.
  boolean acceptsProposals() {
    return waitingForLog.isEmpty() && waitingForApply.isEmpty();
  }

  /// Whether everything that must be durable is.
  boolean isDurable() {
    return undurable == 0;
  }

  /// Whether committed entries wait for a place in the apply loop's queue.
  boolean awaitsApply() {
    return !waitingForApply.isEmpty();
  }

  /// Bounds how long a commit index that came alone waits to be written.
  void tick() {
    flushLog.run();
  }

  /// Offers again what did not fit.
  ///
  /// @return whether anything fitted
  boolean retry() {
    boolean moved = false;
    while (!waitingForLog.isEmpty() && walWriter.test(waitingForLog.peekFirst())) {
      waitingForLog.removeFirst();
      moved = true;
    }
    while (!waitingForApply.isEmpty() && applyLoop.test(waitingForApply.peekFirst())) {
      waitingForApply.removeFirst();
      moved = true;
    }
    return moved;
  }

  void handle(Ready ready) {
    for (Message message : ready.messages()) {
      switch (message) {
        case Message.StorageAppend work -> write(work, ready.mustSync() || work.snapshot() != null);
        case Message.StorageApply work -> apply(work);
        case Message.InstallSnapshot snapshot -> {
          snapshotLeaves.accept(snapshot.to());
          outgoing.add(snapshot);
        }
        case Message.Remote remote -> outgoing.add(remote);
        case Message.Local local ->
            throw new IllegalStateException("local message in a Ready: " + local);
      }
    }
    flushOutgoing();
  }

  /// The log writer is done: what it wrote becomes the durable log, then the promises that waited
  /// for it are kept. A snapshot goes to the apply loop before raft may hand out later entries.
  void written(Message.StorageAppend work, boolean durable) {
    if (durable) {
      undurable--;
    }
    Snapshot snapshot = work.snapshot();
    if (snapshot != null) {
      log.applySnapshot(snapshot);
      hand(new ApplyTask.Install(snapshot, () -> {}));
    }
    if (work.hardState() != null) {
      log.setHardState(work.hardState());
    }
    log.append(work.entries());
    promise(work.responses());
    flushOutgoing();
  }

  private void promise(List<Message> responses) {
    for (Message response : responses) {
      if (response.to() == self) {
        step.accept(response);
      } else {
        outgoing.add(response);
      }
    }
  }

  /// Writes a snapshot mark, then lets go of the log before it.
  void mark(Checkpoint checkpoint, Runnable durable) {
    WalSnapshot snapshot =
        new WalSnapshot(checkpoint.index(), checkpoint.term(), checkpoint.confState());
    hand(new WalAppend(snapshot, List.of(), null, WalAppend.Promise.DURABLE, durable));
  }

  /// A promise about what is durable already, as a follower's when it learns a commit index, waits
  /// for no disk: it is kept at once, and the commit index is written with whatever comes next.
  private void write(Message.StorageAppend work, boolean mustSync) {
    if (!mustSync && undurable == 0) {
      promise(work.responses());
      work = work.withoutResponses();
    }
    Snapshot snapshot = work.snapshot();
    WalSnapshot mark =
        snapshot == null
            ? null
            : new WalSnapshot(snapshot.index(), snapshot.term(), snapshot.confState());
    if (mustSync) {
      undurable++;
    }
    WalAppend.Promise promise =
        mustSync
            ? WalAppend.Promise.DURABLE
            : work.responses().isEmpty() ? WalAppend.Promise.NONE : WalAppend.Promise.ORDERED;
    Input.Written written = new Input.Written(work, mustSync);
    hand(new WalAppend(mark, work.entries(), work.hardState(), promise, () -> answer(written)));
  }

  private void apply(Message.StorageApply work) {
    hand(new ApplyTask.Entries(work.entries(), () -> answer(new Input.Applied(work))));
  }

  private void hand(WalAppend append) {
    if (!waitingForLog.isEmpty() || !walWriter.test(append)) {
      waitingForLog.addLast(append);
    }
  }

  private void hand(ApplyTask task) {
    if (!waitingForApply.isEmpty() || !applyLoop.test(task)) {
      waitingForApply.addLast(task);
    }
  }

  private void flushOutgoing() {
    if (!outgoing.isEmpty()) {
      peers.send(List.copyOf(outgoing));
      outgoing.clear();
    }
  }

  private void answer(Input input) {
    Consumer<Input> to = answers;
    if (to == null) {
      throw new IllegalStateException("not connected");
    }
    to.accept(input);
  }
}
