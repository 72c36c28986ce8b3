package dev.etcdj.server.raftnode;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChangeCodec;
import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.trace.TraceSink;
import dev.etcdj.server.apply.ApplyTask;
import dev.etcdj.server.peer.PeerTransport;
import dev.etcdj.wal.WalAppend;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The raft loop of node 1 with its seams in the test's hands: the log writer keeps what it was
/// given until the test says it is durable, the network keeps what was sent, the clock stands.
final class LoopHarness {
  static final long TICK = 100;

  final MemoryLog log = new MemoryLog();
  final Deque<WalAppend> unsynced = new ArrayDeque<>();
  final Deque<ApplyTask> toApply = new ArrayDeque<>();
  final List<Message> sent = new ArrayList<>();
  final List<ReadState> reads = new ArrayList<>();
  final List<CompletableFuture<Checkpoint>> checkpoints = new ArrayList<>();
  final List<Long> released = new ArrayList<>();
  final RaftLoop loop;
  long nanos;
  int wakes;
  int visits;
  int logCapacity = Integer.MAX_VALUE;

  LoopHarness(Long... voters) {
    this(1_000_000, List.of(voters));
  }

  LoopHarness(long snapshotCount, List<Long> voters) {
    log.setConfState(ConfState.ofVoters(voters));
    RawNode node = new RawNode(config(log));
    PeerTransport network = new Network();
    ReadyPump pump =
        new ReadyPump(
            1,
            log,
            append -> unsynced.size() < logCapacity && unsynced.add(append),
            () -> {},
            toApply::add,
            network);
    LogKeeper keeper =
        new LogKeeper(
            log,
            () -> {
              CompletableFuture<Checkpoint> checkpoint = new CompletableFuture<>();
              checkpoints.add(checkpoint);
              return checkpoint;
            },
            released::add,
            snapshotCount,
            10,
            100,
            0);
    loop =
        new RaftLoop(
            node, pump, keeper, new Events(), () -> nanos, () -> wakes++, () -> visits++, TICK, 64);
  }

  private static RaftConfig config(MemoryLog log) {
    return new RaftConfig(
        1,
        10,
        1,
        log,
        new NoConfChanges(),
        _ -> 0,
        TraceSink.NONE,
        0,
        true,
        1 << 20,
        0,
        0,
        512,
        0,
        true,
        true,
        RaftConfig.ReadOnlyOption.SAFE,
        false,
        false,
        true);
  }

  /// Runs the loop until it has nothing to do.
  void settle() {
    while (loop.doWork()) {
      // Each turn is bounded.
    }
  }

  void tick(int times) {
    for (int i = 0; i < times; i++) {
      nanos += TICK;
      settle();
    }
  }

  /// The log writer has made everything durable.
  void sync() {
    while (!unsynced.isEmpty()) {
      unsynced.removeFirst().done().run();
      settle();
    }
  }

  /// The apply loop has applied everything.
  List<Entry> apply() {
    List<Entry> applied = new ArrayList<>();
    while (!toApply.isEmpty()) {
      switch (toApply.removeFirst()) {
        case ApplyTask.Entries(List<Entry> entries, Runnable done) -> {
          applied.addAll(entries);
          done.run();
        }
        case ApplyTask.Install install -> install.done().run();
      }
      settle();
    }
    return applied;
  }

  void lead() {
    tick(20);
    for (int i = 0; i < 4 && !loop.view().isLeader(); i++) {
      sync();
      tick(5);
    }
    sync();
    apply();
  }

  boolean propose(String text) {
    boolean taken =
        loop.propose(Bytes.wrap(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)), () -> {});
    settle();
    return taken;
  }

  private final class Events implements RaftEvents {
    @Override
    public void changed(RaftView before, RaftView now) {}

    @Override
    public void readStates(List<ReadState> states) {
      reads.addAll(states);
    }

    @Override
    public void committed(long index) {}
  }

  private final class Network implements PeerTransport {
    @Override
    public void send(List<Message> messages) {
      sent.addAll(messages);
    }

    @Override
    public void addPeer(long id, List<String> urls) {}

    @Override
    public void removePeer(long id) {}

    @Override
    public long activeSince(long id) {
      return 0;
    }
  }

  private static final class NoConfChanges implements ConfChangeCodec {
    @Override
    public Bytes encode(ConfChange change) {
      throw new AssertionError("no configuration changes here");
    }

    @Override
    public ConfChange decode(Entry entry) {
      throw new AssertionError("no configuration changes here");
    }
  }
}
