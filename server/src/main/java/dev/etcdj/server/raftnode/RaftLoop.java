package dev.etcdj.server.raftnode;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.Ready;
import dev.etcdj.raft.SoftState;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.message.Message;
import dev.etcdj.server.agent.Agent;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/// Drives the consensus state machine: ticks it, feeds it what came in, and hands on what is
/// ready. See the package for what it owns.
public final class RaftLoop implements Agent, RaftHandle {
  /// Most inputs of one kind taken in a turn, so that ticks and storage answers never starve.
  private static final int MAX_INPUTS_PER_TURN = 1024;

  private final RawNode node;
  private final ReadyPump pump;
  private final LogKeeper logKeeper;
  private final RaftEvents events;
  private final LongSupplier nanoClock;
  private final Runnable wake;
  private final Runnable visit;
  private final long tickNanos;

  /// From peers and for reads. A full one drops: peers and readers ask again.
  private final Queue<Input> inbox;

  /// From clients. Not looked at while no leader is known or the log writer is behind.
  private final Queue<Input.FromClient> proposals;

  /// From the log writer and the apply loop. Bounded by what was handed to them, so it needs no
  /// limit of its own; an answer must never be refused.
  private final Queue<Input> answers = new ConcurrentLinkedQueue<>();

  private final List<Bytes> batch = new ArrayList<>();
  private final List<Input.FromClient> batched = new ArrayList<>();
  private long nextTickNanos;
  private long lastKnownLeader;

  // Written by raft-loop, read by any thread.
  private volatile RaftView view;

  /// Whether raft hands out nothing more until something is applied. Written by raft-loop, read by
  /// whoever answers.
  private volatile boolean awaitsApply;
  private volatile long lastTickNanos;

  /// Whether all entries are durable and committed. Written by raft-loop, read by clients.
  private volatile boolean idle;

  /// @param queueCapacity most client proposals, and most other inputs, waiting
  /// @param wake makes this agent's thread look for work
  /// @param visit does this agent's work on the calling thread if the agent sleeps, else wakes it
  public RaftLoop(
      RawNode node,
      ReadyPump pump,
      LogKeeper logKeeper,
      RaftEvents events,
      LongSupplier nanoClock,
      Runnable wake,
      Runnable visit,
      long tickNanos,
      int queueCapacity) {
    this.node = node;
    this.pump = pump;
    this.logKeeper = logKeeper;
    this.events = events;
    this.nanoClock = nanoClock;
    this.wake = wake;
    this.visit = visit;
    this.tickNanos = tickNanos;
    this.inbox = new ManyToOneConcurrentArrayQueue<>(queueCapacity);
    this.proposals = new ManyToOneConcurrentArrayQueue<>(queueCapacity);
    this.nextTickNanos = nanoClock.getAsLong() + tickNanos;
    this.lastTickNanos = nanoClock.getAsLong();
    var status = node.status();
    this.view =
        new RaftView(
            status.id(),
            status.softState().leader(),
            status.softState().role(),
            status.hardState().term(),
            status.hardState().commit(),
            0);
    pump.connect(
        this::answer, node::step, to -> logKeeper.snapshotLeaves(to, nanoClock.getAsLong()));
    logKeeper.connect(this::answer);
  }

  @Override
  public String name() {
    return "raft-loop";
  }

  @Override
  public long nanosUntilDue() {
    return Math.max(0, nextTickNanos - nanoClock.getAsLong());
  }

  @Override
  public boolean doWork() {
    boolean worked = tick();
    worked |= drain(answers, Integer.MAX_VALUE);
    worked |= drain(inbox, MAX_INPUTS_PER_TURN);
    worked |= pump.retry();
    worked |= handleReady();
    if (view.hasLeader() && pump.acceptsProposals() && takeProposals()) {
      worked = true;
      handleReady();
    }
    boolean nowIdle = pump.isDurable() && node.isCommitted();
    if (idle != nowIdle) {
      idle = nowIdle;
    }
    return worked | nowAwaitsApply();
  }

  /// An answer that came before `awaitsApply` was set woke nobody: another turn looks for it.
  private boolean nowAwaitsApply() {
    boolean before = awaitsApply;
    boolean now = node.awaitsApply() || pump.awaitsApply();
    if (before != now) {
      awaitsApply = now;
    }
    return now && !before;
  }

  /// Time during which the process did not run is not made up: a burst of ticks would only make
  /// a member that was paused campaign.
  private boolean tick() {
    long now = nanoClock.getAsLong();
    if (now - nextTickNanos < 0) {
      return false;
    }
    node.tick();
    pump.tick();
    lastTickNanos = now;
    nextTickNanos = Math.max(nextTickNanos + tickNanos, now + tickNanos / 2);
    return true;
  }

  private boolean drain(Queue<Input> queue, int limit) {
    int taken = 0;
    while (taken < limit) {
      Input input = queue.poll();
      if (input == null) {
        break;
      }
      taken++;
      take(input);
    }
    return taken > 0;
  }

  /// Normal entries that wait together are proposed together: one append for all of them.
  private boolean takeProposals() {
    int taken = 0;
    while (taken < MAX_INPUTS_PER_TURN) {
      Input.FromClient input = proposals.poll();
      if (input == null) {
        break;
      }
      taken++;
      switch (input) {
        case Input.Proposal proposal -> {
          batch.add(proposal.data());
          batched.add(proposal);
        }
        case Input.ConfProposal proposal -> {
          proposeBatch();
          dropIfRefused(node.proposeConfChange(proposal.change()), List.of(proposal));
        }
      }
    }
    proposeBatch();
    return taken > 0;
  }

  private void proposeBatch() {
    if (batch.isEmpty()) {
      return;
    }
    dropIfRefused(node.propose(List.copyOf(batch)), batched);
    batch.clear();
    batched.clear();
  }

  private static void dropIfRefused(RawNode.Outcome outcome, List<Input.FromClient> inputs) {
    switch (outcome) {
      case RawNode.Accepted() -> {}
      case RawNode.Dropped(String _) -> inputs.forEach(input -> input.dropped().run());
    }
  }

  private void take(Input input) {
    switch (input) {
      case Input.Proposal _, Input.ConfProposal _ ->
          throw new IllegalStateException("client proposals have a queue of their own");
      case Input.ReadIndexRequest(Bytes context) -> node.readIndex(context);
      case Input.Received(Message message) -> node.step(message);
      case Input.Unreachable(long id) -> node.reportUnreachable(id);
      case Input.SnapshotReport(long id, boolean failed) -> {
        logKeeper.snapshotSent(id, failed, nanoClock.getAsLong());
        node.reportSnapshot(id, failed);
      }
      case Input.Transfer(long to) -> node.transferLeader(to);
      case Input.AdvanceTicks(int ticks) -> {
        for (int i = 0; i < ticks; i++) {
          node.tickQuiesced();
        }
      }
      case Input.Written(Message.StorageAppend work, boolean durable) ->
          pump.written(work, durable);
      case Input.Applied(Message.StorageApply work) -> applied(work);
      case Input.ChangeConfiguration(ConfChange change, CompletableFuture<ConfState> inForce) -> {
        ConfState confState = node.applyConfChange(change);
        logKeeper.configurationChanged(confState);
        inForce.complete(confState);
      }
      case Input.Checkpointed(Checkpoint checkpoint) -> logKeeper.checkpointed(checkpoint, pump);
      case Input.CheckpointFailed() -> logKeeper.checkpointFailed();
    }
  }

  private void applied(Message.StorageApply work) {
    for (Message response : work.responses()) {
      node.step(response);
    }
    if (!work.entries().isEmpty()) {
      logKeeper.applied(work.entries().getLast().index(), nanoClock.getAsLong());
    }
  }

  private boolean handleReady() {
    boolean worked = false;
    while (pump.accepts() && node.hasReady()) {
      worked = true;
      Ready ready = node.ready();
      publish(ready);
      if (!ready.readStates().isEmpty()) {
        events.readStates(ready.readStates());
      }
      pump.handle(ready);
    }
    return worked;
  }

  private void publish(Ready ready) {
    SoftState soft = ready.softState();
    var hard = ready.hardState();
    if (soft == null && hard == null) {
      return;
    }
    RaftView before = view;
    long leader = soft == null ? before.leader() : soft.leader();
    long changes = before.leaderChanges();
    if (leader != 0 && (leader != lastKnownLeader || !before.hasLeader())) {
      lastKnownLeader = leader;
      changes++;
    }
    RaftView now =
        new RaftView(
            before.self(),
            leader,
            soft == null ? before.role() : soft.role(),
            hard == null ? before.term() : hard.term(),
            hard == null ? before.committed() : hard.commit(),
            changes);
    view = now;
    if (soft != null || now.term() != before.term()) {
      events.changed(before, now);
    }
    if (now.committed() != before.committed()) {
      events.committed(now.committed());
    }
  }

  /// That something is applied, or written without a promise that waits for it, is taken note of
  /// in a later turn: a wake-up of its own would cost more than it is worth.
  private void answer(Input input) {
    answers.add(input);
    boolean urgent =
        switch (input) {
          case Input.Applied _ -> awaitsApply;
          case Input.Written(Message.StorageAppend work, boolean _) -> !work.responses().isEmpty();
          default -> true;
        };
    if (urgent) {
      wake.run();
    }
  }

  private boolean offer(Input input) {
    boolean taken = inbox.offer(input);
    wake.run();
    return taken;
  }

  /// A lone client's thread takes its proposal through raft itself. While others are on their way
  /// it only wakes the loop, so that those that come together are proposed together.
  private boolean offerFromClient(Input.FromClient input) {
    boolean taken = proposals.offer(input);
    (idle ? visit : wake).run();
    return taken;
  }

  @Override
  public boolean propose(Bytes data, Runnable dropped) {
    return offerFromClient(new Input.Proposal(data, dropped));
  }

  @Override
  public boolean proposeConfChange(ConfChange change, Runnable dropped) {
    return offerFromClient(new Input.ConfProposal(change, dropped));
  }

  @Override
  public boolean readIndex(Bytes context) {
    return offer(new Input.ReadIndexRequest(context));
  }

  @Override
  public int step(List<Message> messages) {
    int taken = 0;
    for (int at = 0; at < messages.size(); at++) {
      if (inbox.offer(new Input.Received(messages.get(at)))) {
        taken++;
      }
    }
    visit.run();
    return taken;
  }

  @Override
  public void reportUnreachable(long id) {
    offer(new Input.Unreachable(id));
  }

  /// Goes with the answers: a report that is lost would leave the follower's progress in the
  /// snapshot state for good. At most 16 are outstanding.
  @Override
  public void reportSnapshot(long id, boolean failed) {
    answer(new Input.SnapshotReport(id, failed));
  }

  /// Skips part of the first election wait (RAFT-112). Any thread.
  public void advanceTicks(int ticks) {
    offer(new Input.AdvanceTicks(ticks));
  }

  @Override
  public void transferLeader(long id) {
    offer(new Input.Transfer(id));
  }

  @Override
  public CompletableFuture<ConfState> applyConfChange(ConfChange change) {
    CompletableFuture<ConfState> inForce = new CompletableFuture<>();
    answer(new Input.ChangeConfiguration(change, inForce));
    return inForce;
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
