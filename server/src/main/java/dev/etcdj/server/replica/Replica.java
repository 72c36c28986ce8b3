package dev.etcdj.server.replica;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.watch.WatchHub;
import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.trace.TraceSink;
import dev.etcdj.server.agent.Agent;
import dev.etcdj.server.agent.Part;
import dev.etcdj.server.agent.Relay;
import dev.etcdj.server.agent.Wakeup;
import dev.etcdj.server.alarm.AlarmStore;
import dev.etcdj.server.apply.Applier;
import dev.etcdj.server.apply.ApplyLoop;
import dev.etcdj.server.apply.ApplyTask;
import dev.etcdj.server.apply.CommandGate;
import dev.etcdj.server.apply.Quota;
import dev.etcdj.server.apply.Stores;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.durable.MemberStorage;
import dev.etcdj.server.lease.LeadershipCheck;
import dev.etcdj.server.lease.LeaseExpirer;
import dev.etcdj.server.lease.LeaseForwarder;
import dev.etcdj.server.lease.LeaseRenewals;
import dev.etcdj.server.lease.Lessor;
import dev.etcdj.server.membership.ClusterMembership;
import dev.etcdj.server.membership.PeerDirectory;
import dev.etcdj.server.peer.PeerTransport;
import dev.etcdj.server.peer.RaftpbConfChangeCodec;
import dev.etcdj.server.propose.LeaderHistory;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.RequestIds;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.propose.Waiters;
import dev.etcdj.server.raftnode.LogKeeper;
import dev.etcdj.server.raftnode.RaftEvents;
import dev.etcdj.server.raftnode.RaftLoop;
import dev.etcdj.server.raftnode.RaftView;
import dev.etcdj.server.raftnode.ReadyPump;
import dev.etcdj.server.read.AppliedWaits;
import dev.etcdj.server.read.LinearizableReads;
import dev.etcdj.wal.WalWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/// A member without its ports and threads: opens what storage holds and puts the parts together.
/// No logic of its own.
///
/// Its owner lets something drive the [#agents], then calls [#start]; [#stop] and then, when
/// nothing drives them any more, [#close] end it.
public final class Replica implements AutoCloseable {
  private static final long READ_RETRY_NANOS = 500_000_000L;

  private final ServerConfig config;
  private final Limits limits;
  private final MemberStorage storage;
  private final Wakeups wakeups;
  private final Seams seams;
  private final Host host;
  private final long tickNanos;
  private final long electionNanos;

  private final WatchHub watches;
  private final Lessor lessor;
  private final Stores stores;
  private final ClusterMembership membership;
  private final RequestIds ids;
  private final Quota quota;
  private final WalWriter walWriter;
  private final RaftLoop raft;
  private final Applier applier;
  private final ApplyLoop applyLoop;
  private final Timers timers;
  private final LeaderHistory leaderHistory;
  private final Proposer proposer;
  private final LinearizableReads reads;
  private final LeaseRenewals renewals;
  private final LeaseExpirer expirer;

  // Written by start(), read by the apply loop.
  private volatile boolean started;

  /// What a replica takes from outside instead of from the JVM.
  ///
  /// @param nanoClock monotonic
  /// @param startMillis wall clock, different at each start of a member
  /// @param randomInt a number from 0 to below its argument
  /// @param peers sends to other members, who are told of it through [#start]
  /// @param leases lease calls to other members
  public record Seams(
      LongSupplier nanoClock,
      long startMillis,
      IntUnaryOperator randomInt,
      TraceSink trace,
      PeerTransport peers,
      LeaseForwarder leases) {}

  /// What is around a replica.
  public interface Host {
    /// Counts the log's work.
    WalWriter.WalMetrics walMetrics();

    /// Puts something between the store and the watchers.
    KvStore.EventSink events(KvStore.EventSink next);

    /// Puts something around the backend's steps.
    BooleanSupplier commits(BooleanSupplier work);

    /// This member leads and has applied the first entry of its term. Apply loop.
    void termBegan();

    /// The replica can no longer keep its promises. Any thread, maybe more than once.
    void failed(Throwable cause);
  }

  /// An agent and what wakes it.
  public record Driven(Agent agent, Wakeup wakeup) {}

  /// @param storage its backend wakes `wakeups.backend()`
  public Replica(
      ServerConfig config,
      Limits limits,
      MemberStorage storage,
      Wakeups wakeups,
      Seams seams,
      Host host) {
    this.config = config;
    this.limits = limits;
    this.storage = storage;
    this.wakeups = wakeups;
    this.seams = seams;
    this.host = host;
    this.electionNanos = TimeUnit.MILLISECONDS.toNanos(config.electionMillis());
    this.tickNanos = TimeUnit.MILLISECONDS.toNanos(config.heartbeatMillis());
    long self = storage.log().metadata().nodeId();
    long clusterId = storage.log().metadata().clusterId();
    LongSupplier clock = seams.nanoClock();
    Backend backend = storage.backend();

    // The state machine.
    this.watches = new WatchHub(watchOptions(), clock, seams.randomInt(), wakeups.watch());
    this.lessor = new Lessor(clock, Lessor.minTtlSeconds(config.electionMillis()), electionNanos);
    AlarmStore alarms = new AlarmStore();
    try (ReadView view = backend.read()) {
      lessor.load(view);
      alarms.load(view);
    }
    this.stores = new Stores(openKv(), backend, lessor, alarms);
    watches.attach(stores.kv());
    this.membership =
        new ClusterMembership(self, clusterId, limits.learners(), new Directory(), backend);

    // Consensus.
    this.walWriter =
        new WalWriter(
            storage.log().wal(), limits.walQueue(), wakeups.wal(), host.walMetrics(), host::failed);
    RaftpbConfChangeCodec codec = new RaftpbConfChangeCodec();
    this.raft = raftLoop(self, codec);

    // Requests.
    this.ids = new RequestIds(self, seams.startMillis());
    Waiters waiters = new Waiters(ids, limits.waiters());
    this.quota = new Quota(stores, config.quotaBackendBytes());
    this.applier =
        new Applier(stores, membership, raft, codec, waiters, quota, CommandGate.OPEN, new Hooks());
    this.applyLoop =
        new ApplyLoop(
            applier,
            new StoreInstaller(storage.install(), this::openKv, stores, membership, watches),
            limits.applyQueue(),
            wakeups.apply());
    this.timers = new Timers(clock, wakeups.timers());
    this.leaderHistory = new LeaderHistory(clock);
    this.proposer = proposer(waiters);
    AppliedWaits appliedWaits = new AppliedWaits(applier::appliedIndex);
    applyLoop.onApplied(appliedWaits::applied);
    this.reads =
        new LinearizableReads(
            new LinearizableReads.Limits(
                READ_RETRY_NANOS, config.requestTimeoutNanos(), limits.waitingReads()),
            raft,
            membership,
            ids,
            appliedWaits,
            applier::appliedTerm,
            clock);
    LeadershipCheck leadership = new LeadershipCheck(raft, reads, clock, tickNanos);
    this.renewals =
        new LeaseRenewals(
            new LeaseRenewals.Limits(config.requestTimeoutNanos(), electionNanos),
            lessor,
            raft,
            membership,
            leadership,
            appliedWaits,
            proposer,
            seams.leases(),
            timers,
            clock);
    this.expirer = new LeaseExpirer(lessor, leadership, proposer, config.requestTimeoutNanos());
  }

  private WatchHub.Options watchOptions() {
    return new WatchHub.Options(
        limits.watchRingBytes(),
        limits.watchRingRevisions(),
        config.maxRequestBytes() + (512 << 10),
        config.watchProgressNotifyNanos(),
        1_000);
  }

  private KvStore openKv() {
    return KvStore.open(
        storage.backend(),
        lessor,
        host.events(watches),
        new KvStore.Options(
            config.compactionBatchLimit(),
            config.compactionSleepNanos(),
            seams.nanoClock(),
            wakeups.compaction()));
  }

  private RaftLoop raftLoop(long self, RaftpbConfChangeCodec codec) {
    RawNode node = new RawNode(raftConfig(self, codec));
    if (storage.bootstrap() != null) {
      node.bootstrap(storage.bootstrap().raftPeers());
    }
    ReadyPump pump =
        new ReadyPump(
            self,
            storage.log().memory(),
            walWriter::submit,
            walWriter::flush,
            this::apply,
            seams.peers());
    LogKeeper logKeeper =
        new LogKeeper(
            storage.log().memory(),
            new StoreCheckpoint(this::applyLoop, storage.backend(), this::membership),
            walWriter::release,
            config.snapshotCount(),
            config.snapshotCatchupEntries(),
            limits.memoryCutInterval(),
            storage.log().snapshotIndex());
    return new RaftLoop(
        node,
        pump,
        logKeeper,
        new Events(),
        seams.nanoClock(),
        wakeups.raft(),
        wakeups.raft()::visit,
        tickNanos,
        limits.inbox());
  }

  private RaftConfig raftConfig(long self, RaftpbConfChangeCodec codec) {
    return new RaftConfig(
        self,
        config.electionTicks(),
        1,
        storage.log().memory(),
        codec,
        seams.randomInt(),
        seams.trace(),
        storage.log().applied(),
        true,
        limits.messageBytes(),
        0,
        0,
        limits.inflightMessages(),
        0,
        true,
        config.preVote(),
        RaftConfig.ReadOnlyOption.SAFE,
        false,
        false,
        true);
  }

  private Proposer proposer(Waiters waiters) {
    return new Proposer(
        new Proposer.Limits(
            config.maxRequestBytes(),
            limits.unapplied(),
            config.requestTimeoutNanos(),
            electionNanos),
        raft,
        membership,
        waiters,
        leaderHistory,
        seams.peers()::activeSince,
        applier::appliedIndex,
        seams.nanoClock());
  }

  private boolean apply(ApplyTask task) {
    return applyLoop.offer(task);
  }

  /// Everything that has to be driven, in the order in which it is to be started.
  public List<Driven> agents() {
    var preparer = storage.log().wal().preparer();
    preparer.wakeWith(wakeups.segments());
    return List.of(
        new Driven(
            new Part(
                "backend",
                host.commits(storage.backend()::doWork),
                storage.backend()::nanosUntilDue),
            wakeups.backend()),
        new Driven(
            new Part("compaction", () -> stores.kv().doWork(), () -> stores.kv().nanosUntilDue()),
            wakeups.compaction()),
        new Driven(
            new Part("watch-sync", watches::doWork, watches::nanosUntilDue), wakeups.watch()),
        new Driven(
            new Relay(
                new Part("wal-sync", walWriter::doWork, Replica::never),
                walWriter::isCalm,
                List.of(wakeups.raft(), wakeups.apply())),
            wakeups.wal()),
        new Driven(new Part("wal-segments", preparer::doWork, Replica::never), wakeups.segments()),
        new Driven(applyLoop, wakeups.apply()),
        new Driven(timers, wakeups.timers()),
        new Driven(raft, wakeups.raft()));
  }

  private static long never() {
    return Long.MAX_VALUE;
  }

  /// Begins to talk to the other members and tells them of this one.
  ///
  /// @param published runs once the cluster knows this member, so that clients may come; on the
  ///     apply loop, must not block
  public void start(Runnable published) {
    membership.members().forEach(member -> seams.peers().addPeer(member.id(), member.peerUrls()));
    started = true;
    proposer.start(timers);
    reads.start(timers);
    expirer.start(timers);
    if (config.initialElectionTickAdvance()) {
      boolean alone =
          storage.bootstrap() != null
              ? storage.bootstrap().members().size() == 1
              : membership.members().size() == 1;
      new InitialTicks(raft, membership, seams.peers(), config.electionTicks())
          .start(timers, alone);
    }
    new Publisher(config, membership.self(), proposer, timers, published).publish();
  }

  /// The applied state between two entries, with what raft has to know about it. Whoever takes it
  /// closes the view.
  ///
  /// @param metadata without contents
  public record Picture(Snapshot metadata, ReadView view) {}

  /// Takes the state to be sent to a follower.
  public CompletableFuture<Picture> picture() {
    return applyLoop.atBoundary(
        point ->
            new Picture(
                new Snapshot(
                    point.index(),
                    point.term(),
                    ClusterMembership.confState(membership.members()),
                    Bytes.EMPTY),
                storage.backend().read()));
  }

  private ApplyLoop applyLoop() {
    return applyLoop;
  }

  public Stores stores() {
    return stores;
  }

  public WatchHub watches() {
    return watches;
  }

  public ClusterMembership membership() {
    return membership;
  }

  public RaftLoop raft() {
    return raft;
  }

  public Applier applier() {
    return applier;
  }

  public Proposer proposer() {
    return proposer;
  }

  public LinearizableReads reads() {
    return reads;
  }

  public LeaseRenewals renewals() {
    return renewals;
  }

  public RequestIds ids() {
    return ids;
  }

  public Quota quota() {
    return quota;
  }

  public Timers timers() {
    return timers;
  }

  /// Refuses clients from now on, and those that wait. Any thread.
  public void stop() {
    proposer.stop();
    reads.stop();
  }

  /// Makes durable what can be and lets go of the storage. Only when no agent is driven any more.
  @Override
  public void close() {
    watches.close();
    walWriter.close();
    stores.kv().close();
    storage.backend().close();
  }

  /// Raft's news for everybody whose answers depend on who leads.
  private final class Events implements RaftEvents {
    @Override
    public void changed(RaftView before, RaftView now) {
      leaderHistory.changed(now);
      lessor.leadershipChanged(now);
      if (now.leaderChanges() != before.leaderChanges()) {
        reads.leaderChanged();
      }
    }

    @Override
    public void readStates(List<ReadState> states) {
      states.forEach(reads::onReadState);
    }

    @Override
    public void committed(long index) {}
  }

  private final class Hooks implements Applier.Hooks {
    @Override
    public void raiseNoSpace(Runnable then) {
      proposer.raiseNoSpace(then);
    }

    @Override
    public void termBegan(long term) {
      reads.termBegan();
      if (raft.view().isLeader() && raft.view().term() == term) {
        lessor.promote(term);
        host.termBegan();
      }
    }
  }

  /// Nobody is talked to before everything stands.
  private final class Directory implements PeerDirectory {
    @Override
    public void memberAt(long id, List<String> peerUrls) {
      if (started) {
        seams.peers().addPeer(id, peerUrls);
      }
    }

    @Override
    public void memberRemoved(long id) {
      if (started) {
        seams.peers().removePeer(id);
      }
    }
  }
}
