package dev.etcdj.server;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.config.Urls;
import dev.etcdj.server.durable.DataDir;
import dev.etcdj.server.durable.MemberStorage;
import dev.etcdj.server.durable.SnapshotFiles;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.durable.StoreSnapshot;
import dev.etcdj.server.http.EventLoops;
import dev.etcdj.server.logging.Markers;
import dev.etcdj.server.membership.ClusterMembership;
import dev.etcdj.server.membership.MemberIds;
import dev.etcdj.server.metrics.Metrics;
import dev.etcdj.server.peer.HttpPeerTransport;
import dev.etcdj.server.peer.PeerClient;
import dev.etcdj.server.peer.PeerIdentity;
import dev.etcdj.server.peer.PeerServer;
import dev.etcdj.server.peer.SnapshotSource;
import dev.etcdj.server.replica.Limits;
import dev.etcdj.server.replica.Replica;
import dev.etcdj.server.replica.Wakeups;
import dev.etcdj.server.rpc.BigReads;
import dev.etcdj.server.rpc.Core;
import dev.etcdj.server.rpc.Headers;
import dev.etcdj.server.rpc.Services;
import dev.etcdj.wal.WalWriter;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One member: a [Replica] with threads, ports and metrics. No logic of its own.
public final class Member implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Member.class);
  private static final long MAX_HELD_ANSWER_BYTES = 64L << 20;

  private final ServerConfig config;
  private final Consumer<Throwable> onFailure;
  private final AtomicBoolean failed = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final LongSupplier nanoClock = System::nanoTime;

  private final EventLoops peerLoops;
  private final SnapshotFiles snapshots;
  private final Metrics metrics;
  private final MemberMetrics memberMetrics;
  private final HttpPeerTransport transport;
  private final Replica replica;
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
    this.peerLoops = new EventLoops("peer", 1);
    this.snapshots = new SnapshotFiles(new DataDir(config.dataDir()));
    int dialTimeoutMillis = 1_000 + config.electionMillis();
    Wakeups wakeups = new Wakeups();
    BackendOptions backendOptions =
        BackendOptions.of(nanoClock, wakeups.backend())
            .withCadence(config.backendBatchLimit(), config.backendBatchNanos())
            .withListeners(_ -> {}, this::fail);
    MemberStorage storage =
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
    Random random = new Random(new SecureRandom().nextLong());
    this.replica =
        new Replica(
            config,
            Limits.DEFAULT,
            storage,
            wakeups,
            new Replica.Seams(
                nanoClock,
                System.currentTimeMillis(),
                random::nextInt,
                new RaftLog(),
                transport,
                new PeerLeaseForwarder(transport.client())),
            new Around());
    this.clusterVersions =
        new ClusterVersions(
            replica.membership(),
            replica.raft(),
            replica.proposer(),
            transport.client(),
            Version.ETCD);
    this.bigReadThread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(16),
            Thread.ofPlatform().daemon().name("big-reads").factory());
    this.services = services();
    this.peerServer =
        new PeerServer(peerLoops, transport, replica.membership(), new MemberVersions(this));
    PeerLeaseForwarder.serve(peerServer, replica.renewals());
    memberMetrics.bind(replica);
    this.clients = new ClientListener(config, services, new MemberVersions(this), metrics);
    this.threads = new Threads(this::fail);
  }

  private Services services() {
    ClusterMembership membership = replica.membership();
    return new Services(
        new Core(
            new Core.Limits(
                Version.ETCD,
                config.maxTxnOps(),
                config.maxRequestBytes(),
                config.quotaBackendBytes(),
                TimeUnit.MILLISECONDS.toNanos(config.electionMillis())),
            replica.stores(),
            replica.applier(),
            replica.quota(),
            membership,
            replica.raft(),
            replica.proposer(),
            replica.reads(),
            replica.renewals(),
            replica.watches(),
            replica.ids(),
            replica.timers(),
            new Headers(membership.clusterId(), membership.self(), replica.applier()::headerTerm),
            new BigReads(new BigReads.Limits(10_000, MAX_HELD_ANSWER_BYTES), bigReadThread)),
        (messages, bytes) -> metrics.grpc().sentAlong("etcdserverpb.Watch/Watch", messages, bytes));
  }

  /// Major and minor of the cluster version, empty until it is decided.
  private String clusterMinor() {
    String version = replica == null ? null : replica.membership().clusterVersion();
    return version == null ? "" : version.substring(0, version.lastIndexOf('.'));
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
        .addKeyValue("member-id", MemberIds.hex(replica.membership().self()))
        .addKeyValue("cluster-id", MemberIds.hex(replica.membership().clusterId()))
        .addKeyValue("snapshot-count", config.snapshotCount())
        .addKeyValue("snapshot-catchup-entries", config.snapshotCatchupEntries())
        .addKeyValue("listen-peer-urls", Urls.texts(config.listenPeerUrls()))
        .addKeyValue("listen-client-urls", Urls.texts(config.listenClientUrls()))
        .log("starting an etcd server");
    for (Replica.Driven driven : replica.agents()) {
      threads.drive(driven.agent(), driven.wakeup());
    }
    clusterVersions.start(replica.timers());
    replica.start(this::serveClients);
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
    return replica
        .picture()
        .thenApplyAsync(
            taken ->
                StoreSnapshot.write(new DataDir(config.dataDir()), taken.metadata(), taken.view()),
            task -> Thread.ofVirtual().name("snapshot-out").start(task));
  }

  Replica replica() {
    return replica;
  }

  SnapshotFiles snapshots() {
    return snapshots;
  }

  /// What [MemberVersions] asks.
  Services clientServices() {
    return services;
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
    replica.stop();
    clients.close();
    peerServer.close();
    transport.close();
    threads.close();
    replica.close();
    bigReadThread.shutdown();
    peerLoops.close();
    metrics.close();
    LOG.atInfo()
        .addKeyValue("name", config.name())
        .addKeyValue("data-dir", config.dataDir())
        .log("closed etcd server");
  }

  /// Metrics and failures of the replica.
  private final class Around implements Replica.Host {
    @Override
    public WalWriter.WalMetrics walMetrics() {
      return memberMetrics;
    }

    @Override
    public KvStore.EventSink events(KvStore.EventSink next) {
      return memberMetrics.counting(next);
    }

    @Override
    public BooleanSupplier commits(BooleanSupplier work) {
      return memberMetrics.timing(work, nanoClock);
    }

    @Override
    public void termBegan() {
      clusterVersions.decide();
    }

    @Override
    public void failed(Throwable cause) {
      fail(cause);
    }
  }
}
