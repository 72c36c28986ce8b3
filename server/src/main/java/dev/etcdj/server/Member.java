package dev.etcdj.server;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.watch.WatchHub;
import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RawNode;
import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.server.agent.Wakeup;
import dev.etcdj.server.alarm.AlarmStore;
import dev.etcdj.server.apply.Applier;
import dev.etcdj.server.apply.ApplyLoop;
import dev.etcdj.server.apply.CommandGate;
import dev.etcdj.server.apply.Quota;
import dev.etcdj.server.apply.Stores;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.config.Urls;
import dev.etcdj.server.durable.DataDir;
import dev.etcdj.server.durable.MemberStorage;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.durable.StoreSnapshot;
import dev.etcdj.server.http.EventLoops;
import dev.etcdj.server.lease.LeadershipCheck;
import dev.etcdj.server.lease.LeaseExpirer;
import dev.etcdj.server.lease.LeaseRenewals;
import dev.etcdj.server.lease.Lessor;
import dev.etcdj.server.logging.Markers;
import dev.etcdj.server.membership.ClusterMembership;
import dev.etcdj.server.membership.MemberIds;
import dev.etcdj.server.membership.PeerDirectory;
import dev.etcdj.server.metrics.Metrics;
import dev.etcdj.server.peer.HttpPeerTransport;
import dev.etcdj.server.peer.PeerClient;
import dev.etcdj.server.peer.PeerIdentity;
import dev.etcdj.server.peer.PeerServer;
import dev.etcdj.server.peer.RaftpbConfChangeCodec;
import dev.etcdj.server.peer.SnapshotSource;
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
import dev.etcdj.server.rpc.BigReads;
import dev.etcdj.server.rpc.Core;
import dev.etcdj.server.rpc.Headers;
import dev.etcdj.server.rpc.Services;
import dev.etcdj.wal.WalWriter;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One member: opens what is on disk, puts the parts together, starts their threads, and stops
/// them. No logic of its own.
public final class Member implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Member.class);
  private static final int INBOX = 4096;
  private static final int WAL_QUEUE = 1024;
  private static final int APPLY_QUEUE = 64;
  private static final int WAITERS = 1 << 16;
  private static final long MAX_UNAPPLIED = 5_000;
  private static final int MAX_WAITING_READS = 1 << 16;
  private static final long READ_RETRY_NANOS = 500_000_000L;
  private static final long MAX_MESSAGE_BYTES = 1 << 20;
  private static final int MAX_INFLIGHT_MESSAGES = 512;
  private static final int MAX_LEARNERS = 1;
  private static final long MAX_HELD_ANSWER_BYTES = 64L << 20;

  private final ServerConfig config;
  private final Consumer<Throwable> onFailure;
  private final AtomicBoolean failed = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final LongSupplier nanoClock = System::nanoTime;
  private final long electionNanos;
  private final long tickNanos;

  private final Wakeup raftWake = new Wakeup();
  private final Wakeup walWake = new Wakeup();
  private final Wakeup applyWake = new Wakeup();
  private final Wakeup backendWake = new Wakeup();
  private final Wakeup compactionWake = new Wakeup();
  private final Wakeup watchWake = new Wakeup();
  private final Wakeup timersWake = new Wakeup();

  private final EventLoops peerLoops;
  private final Metrics metrics;
  private final MemberMetrics memberMetrics;
  private final MemberStorage storage;
  private final WatchHub watches;
  private final Lessor lessor;
  private final Stores stores;
  private final HttpPeerTransport transport;
  private final ClusterMembership membership;
  private final WalWriter walWriter;
  private final RaftLoop raft;
  private final Applier applier;
  private final ApplyLoop applyLoop;
  private final Timers timers;
  private final Proposer proposer;
  private final LinearizableReads reads;
  private final LeaseRenewals renewals;
  private final LeaseExpirer expirer;
  private final LeaderHistory leaderHistory;
  private final ClusterVersions clusterVersions;
  private final ThreadPoolExecutor bigReadThread;
  private final Services services;
  private final PeerServer peerServer;
  private final Threads threads;
  private final ClientListener clients;

  /// Starts a member. Returns once its threads run; clients are served as soon as the cluster has
  /// heard of it.
  ///
  /// @param onFailure told once when the member can no longer keep its promises and has stopped
  ///     serving; the process should end
  /// @throws StartException with one line for the operator; nothing is left running then
  public static Member start(ServerConfig config, Consumer<Throwable> onFailure)
      throws StartException {
    Member member = new Member(config, onFailure);
    try {
      member.begin();
      return member;
    } catch (StartException e) {
      member.close();
      throw e;
    }
  }

  private Member(ServerConfig config, Consumer<Throwable> onFailure) throws StartException {
    this.config = config;
    this.onFailure = onFailure;
    this.electionNanos = TimeUnit.MILLISECONDS.toNanos(config.electionMillis());
    this.tickNanos = TimeUnit.MILLISECONDS.toNanos(config.heartbeatMillis());
    this.peerLoops = new EventLoops("peer", 1);
    int dialTimeoutMillis = 1_000 + config.electionMillis();
    BackendOptions backendOptions =
        BackendOptions.of(nanoClock, backendWake)
            .withCadence(config.backendBatchLimit(), config.backendBatchNanos())
            .withListeners(_ -> {}, this::fail);
    this.storage =
        MemberStorage.open(
            config,
            backendOptions,
            new RemoteCluster(new PeerClient(peerLoops, dialTimeoutMillis)));
    long self = storage.log().metadata().nodeId();
    long clusterId = storage.log().metadata().clusterId();

    this.metrics =
        new Metrics(
            new Metrics.About(self, Version.ETCD, Version.OWN, this::clusterMinor, Map.of(), false),
            nanoClock);
    this.memberMetrics = new MemberMetrics(metrics);

    // The state machine.
    Random random = new Random(new SecureRandom().nextLong());
    this.watches =
        new WatchHub(
            new WatchHub.Options(
                32L << 20,
                65_536,
                config.maxRequestBytes() + (512 << 10),
                config.watchProgressNotifyNanos(),
                1_000),
            nanoClock,
            random::nextInt,
            watchWake);
    this.lessor =
        new Lessor(nanoClock, Lessor.minTtlSeconds(config.electionMillis()), electionNanos);
    AlarmStore alarms = new AlarmStore();
    try (ReadView view = storage.backend().read()) {
      lessor.load(view);
      alarms.load(view);
    }
    this.stores = new Stores(openKv(), storage.backend(), lessor, alarms);
    watches.attach(stores.kv());

    // The cluster.
    this.transport =
        new HttpPeerTransport(
            new PeerIdentity(
                self, clusterId, Version.ETCD, Urls.texts(config.initialAdvertisePeerUrls())),
            new PeerLink(this),
            metrics.network(),
            peerLoops,
            dialTimeoutMillis,
            nanoClock,
            InstantSource.system());
    this.membership =
        new ClusterMembership(self, clusterId, MAX_LEARNERS, new Directory(), storage.backend());
    this.walWriter =
        new WalWriter(storage.log().wal(), WAL_QUEUE, walWake, memberMetrics, this::fail);
    RaftpbConfChangeCodec codec = new RaftpbConfChangeCodec();
    RawNode node = new RawNode(raftConfig(self, codec, random));
    if (storage.bootstrap() != null) {
      node.bootstrap(storage.bootstrap().raftPeers());
    }
    ReadyPump pump =
        new ReadyPump(
            self,
            storage.log().memory(),
            walWriter::submit,
            walWriter::flush,
            task -> offer(task),
            transport);
    LogKeeper logKeeper =
        new LogKeeper(
            storage.log().memory(),
            new StoreCheckpoint(this::applyLoop, storage.backend(), this::membership),
            walWriter::release,
            config.snapshotCount(),
            config.snapshotCatchupEntries(),
            storage.log().snapshotIndex());
    this.raft =
        new RaftLoop(node, pump, logKeeper, new Events(), nanoClock, raftWake, tickNanos, INBOX);

    // Requests.
    RequestIds ids = new RequestIds(self, System.currentTimeMillis());
    Waiters waiters = new Waiters(ids, WAITERS);
    Quota quota = new Quota(stores, config.quotaBackendBytes());
    this.applier =
        new Applier(stores, membership, raft, codec, waiters, quota, CommandGate.OPEN, new Hooks());
    this.applyLoop =
        new ApplyLoop(
            applier,
            new StoreInstaller(storage.snapshots(), this::openKv, stores, membership, watches),
            APPLY_QUEUE,
            applyWake);
    this.timers = new Timers(nanoClock, timersWake);
    this.leaderHistory = new LeaderHistory(nanoClock);
    this.proposer =
        new Proposer(
            new Proposer.Limits(
                config.maxRequestBytes(),
                MAX_UNAPPLIED,
                config.requestTimeoutNanos(),
                electionNanos),
            raft,
            membership,
            waiters,
            leaderHistory,
            transport::activeSince,
            applier::appliedIndex,
            nanoClock);
    AppliedWaits appliedWaits = new AppliedWaits(applier::appliedIndex);
    applyLoop.onApplied(appliedWaits::applied);
    this.reads =
        new LinearizableReads(
            new LinearizableReads.Limits(
                READ_RETRY_NANOS, config.requestTimeoutNanos(), MAX_WAITING_READS),
            raft,
            membership,
            ids,
            appliedWaits,
            applier::appliedTerm,
            nanoClock);
    LeadershipCheck leadership = new LeadershipCheck(raft, reads, nanoClock, tickNanos);
    this.renewals =
        new LeaseRenewals(
            new LeaseRenewals.Limits(config.requestTimeoutNanos(), electionNanos),
            lessor,
            raft,
            membership,
            leadership,
            appliedWaits,
            proposer,
            new PeerLeaseForwarder(transport.client()),
            timers,
            nanoClock);
    this.expirer = new LeaseExpirer(lessor, leadership, proposer, config.requestTimeoutNanos());
    this.clusterVersions =
        new ClusterVersions(membership, raft, proposer, transport.client(), Version.ETCD);
    this.bigReadThread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(16),
            Thread.ofPlatform().daemon().name("big-reads").factory());
    this.services =
        new Services(
            new Core(
                new Core.Limits(
                    Version.ETCD,
                    config.maxTxnOps(),
                    config.maxRequestBytes(),
                    config.quotaBackendBytes(),
                    electionNanos),
                stores,
                applier,
                quota,
                membership,
                raft,
                proposer,
                reads,
                renewals,
                watches,
                ids,
                timers,
                new Headers(clusterId, self, applier::headerTerm),
                new BigReads(new BigReads.Limits(10_000, MAX_HELD_ANSWER_BYTES), bigReadThread)));
    this.peerServer = new PeerServer(peerLoops, transport, membership, new MemberVersions(this));
    PeerLeaseForwarder.serve(peerServer, renewals);
    memberMetrics.bind(raft, applier, proposer, reads, quota);
    memberMetrics.bind(stores, watches);
    this.clients = new ClientListener(config, services, new MemberVersions(this), metrics);
    this.threads = new Threads(this::fail);
  }

  private RaftConfig raftConfig(long self, RaftpbConfChangeCodec codec, Random random) {
    return new RaftConfig(
        self,
        config.electionTicks(),
        1,
        storage.log().memory(),
        codec,
        random::nextInt,
        new RaftLog(),
        storage.log().applied(),
        true,
        MAX_MESSAGE_BYTES,
        0,
        0,
        MAX_INFLIGHT_MESSAGES,
        0,
        true,
        config.preVote(),
        RaftConfig.ReadOnlyOption.SAFE,
        false,
        false);
  }

  /// Major and minor of the cluster version, empty until it is decided.
  private String clusterMinor() {
    String version = membership == null ? null : membership.clusterVersion();
    return version == null ? "" : version.substring(0, version.lastIndexOf('.'));
  }

  private KvStore openKv() {
    return KvStore.open(
        storage.backend(),
        lessor,
        memberMetrics.counting(watches),
        new KvStore.Options(
            config.compactionBatchLimit(),
            config.compactionSleepNanos(),
            nanoClock,
            compactionWake));
  }

  private void begin() throws StartException {
    clients.requireFree();
    try {
      peerServer.listen(config.listenPeerUrls());
    } catch (IOException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
    LOG.atInfo()
        .addKeyValue("etcd-version", Version.ETCD)
        .addKeyValue("etcd-j-version", Version.OWN)
        .addKeyValue("name", config.name())
        .addKeyValue("data-dir", config.dataDir())
        .addKeyValue("member-id", MemberIds.hex(membership.self()))
        .addKeyValue("cluster-id", MemberIds.hex(membership.clusterId()))
        .addKeyValue("snapshot-count", config.snapshotCount())
        .addKeyValue("snapshot-catchup-entries", config.snapshotCatchupEntries())
        .addKeyValue("listen-peer-urls", Urls.texts(config.listenPeerUrls()))
        .addKeyValue("listen-client-urls", Urls.texts(config.listenClientUrls()))
        .log("starting an etcd server");
    proposer.start(timers);
    reads.start(timers);
    expirer.start(timers);
    clusterVersions.start(timers);
    threads.drive(
        "backend",
        memberMetrics.timing(storage.backend()::doWork, nanoClock),
        storage.backend()::nanosUntilDue,
        backendWake);
    threads.drive(
        "compaction",
        () -> stores.kv().doWork(),
        () -> stores.kv().nanosUntilDue(),
        compactionWake);
    threads.drive("watch-sync", watches::doWork, watches::nanosUntilDue, watchWake);
    threads.drive("wal-sync", walWriter::doWork, () -> Long.MAX_VALUE, walWake);
    Wakeup segmentWake = new Wakeup();
    storage.log().wal().preparer().wakeWith(segmentWake);
    threads.drive(
        "wal-segments", storage.log().wal().preparer()::doWork, () -> Long.MAX_VALUE, segmentWake);
    threads.drive(applyLoop, applyWake);
    threads.drive(timers, timersWake);
    threads.drive(raft, raftWake);
    if (config.initialElectionTickAdvance()) {
      boolean alone =
          storage.bootstrap() != null
              ? storage.bootstrap().members().size() == 1
              : membership.members().size() == 1;
      new InitialTicks(raft, membership, transport, config.electionTicks()).start(timers, alone);
    }
    new Publisher(config, membership.self(), proposer, timers, this::serveClients).publish();
  }

  /// Opening a port takes a while and the caller is the apply loop.
  private void serveClients() {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                clients.listen();
                services.setServing(true);
              } catch (IOException e) {
                fail(e);
              }
            });
  }

  /// The applied state, to be sent to a follower: taken between two entries, written to a file by
  /// a thread of its own.
  CompletableFuture<SnapshotSource> openSnapshot() {
    record Taken(Snapshot metadata, ReadView view) {}
    return applyLoop
        .atBoundary(
            point ->
                new Taken(
                    new Snapshot(
                        point.index(),
                        point.term(),
                        ClusterMembership.confState(membership.members()),
                        Bytes.EMPTY),
                    storage.backend().read()))
        .thenApplyAsync(
            taken ->
                StoreSnapshot.write(new DataDir(config.dataDir()), taken.metadata(), taken.view()),
            task -> Thread.ofVirtual().name("snapshot-out").start(task));
  }

  private boolean offer(dev.etcdj.server.apply.ApplyTask task) {
    return applyLoop.offer(task);
  }

  ApplyLoop applyLoop() {
    return applyLoop;
  }

  ClusterMembership membership() {
    return membership;
  }

  RaftLoop raft() {
    return raft;
  }

  Services services() {
    return services;
  }

  MemberStorage storage() {
    return storage;
  }

  /// The member can no longer keep its promises: it says so and stops.
  void fail(Throwable cause) {
    if (!failed.compareAndSet(false, true)) {
      return;
    }
    LOG.atError().addMarker(Markers.FATAL).setCause(cause).log("the member has failed and stops");
    onFailure.accept(cause);
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    LOG.atInfo()
        .addKeyValue("name", config.name())
        .addKeyValue("data-dir", config.dataDir())
        .log("closing etcd server");
    services.setServing(false);
    proposer.stop();
    reads.stop();
    clients.close();
    peerServer.close();
    transport.close();
    threads.close();
    watches.close();
    walWriter.close();
    stores.kv().close();
    storage.backend().close();
    bigReadThread.shutdown();
    peerLoops.close();
    metrics.close();
    LOG.atInfo()
        .addKeyValue("name", config.name())
        .addKeyValue("data-dir", config.dataDir())
        .log("closed etcd server");
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
        clusterVersions.decide();
      }
    }
  }

  private final class Directory implements PeerDirectory {
    @Override
    public void memberAt(long id, List<String> peerUrls) {
      transport.addPeer(id, peerUrls);
    }

    @Override
    public void memberRemoved(long id) {
      transport.removePeer(id);
    }
  }
}
