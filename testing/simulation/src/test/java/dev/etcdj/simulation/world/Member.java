package dev.etcdj.simulation.world;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.raft.trace.TraceSink;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.durable.InitialCluster;
import dev.etcdj.server.durable.MemberStorage;
import dev.etcdj.server.durable.SnapshotInstall;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.replica.Replica;
import dev.etcdj.server.replica.Wakeups;
import dev.etcdj.simulation.check.Broken;
import dev.etcdj.simulation.disk.Disk;
import dev.etcdj.wal.StorageException;
import dev.etcdj.wal.Wal;
import dev.etcdj.wal.WalConfig;
import dev.etcdj.wal.WalWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/// One member: a disk that lasts, and a replica for as long as it runs.
public final class Member {
  private final World world;
  private final int number;
  private final ServerConfig config;
  private final WalConfig walConfig;
  private final SplittableRandom random;
  private final LocalClock clock;
  private final Disk disk;
  private final long id;
  private final List<Driver> drivers = new ArrayList<>();
  private final Pace walPace;
  private final Pace backendPace;
  private final Pace applyPace;

  private Replica replica;
  private MemberStorage storage;
  private int life;
  private boolean serving;
  private long upSince;
  private long pausedUntil;
  private boolean mayFail;
  private boolean crashDue;
  private Throwable failure;

  Member(World world, int number, SplittableRandom random) throws StartException {
    Scenario scenario = world.scenario();
    this.world = world;
    this.number = number;
    this.random = random;
    this.config = Configs.of(scenario, number);
    this.walConfig = new WalConfig(scenario.segmentBytes(), false, scenario.maxSegments());
    this.clock =
        new LocalClock(
            world.time(),
            random.nextLong(-(1L << 50), 1L << 50),
            1 + (2 * random.nextDouble() - 1) * scenario.clockSkew());
    this.disk = new Disk(random.split());
    this.id = InitialCluster.of(config).self();
    this.walPace = new Pace(random.split(), scenario.slowDisk() ? 20_000 : 500, 100, 50);
    this.backendPace = new Pace(random.split(), scenario.slowDisk() ? 50_000 : 500, 2_000, 50);
    this.applyPace =
        scenario.slowApply()
            ? new Pace(random.split(), 30_000, 1_000, 20)
            : new Pace(random.split(), 40, 20, 100);
  }

  // ---- life -------------------------------------------------------------------------------------

  /// Starts the member on what its disk holds.
  void start() {
    life++;
    failure = null;
    crashDue = false;
    mayFail = false;
    serving = false;
    pausedUntil = 0;
    upSince = world.time().now();
    world.trace().note("start", number, life, 0);
    Wakeups wakeups = new Wakeups();
    try {
      storage = open(wakeups);
    } catch (StartException | RuntimeException refused) {
      throw new Broken("a member restarts on what its disk holds", refused);
    }
    replica =
        new Replica(
            config,
            world.scenario().limits(),
            storage,
            wakeups,
            new Replica.Seams(
                clock,
                1_700_000_000_000L + world.time().now() / 1_000_000,
                random.split()::nextInt,
                TraceSink.NONE,
                world.network().transport(this),
                world.network().leases(this)),
            new Around(life));
    world.checks().started(this);
    drivers.clear();
    for (Replica.Driven driven : replica.agents()) {
      Driver driver = new Driver(this, driven.agent(), pace(driven.agent().name()));
      driven.wakeup().connect(driver::wake);
      drivers.add(driver);
    }
    int thisLife = life;
    replica.start(
        () -> {
          serving = thisLife == life;
          world.trace().note("serves", number, life, 0);
        });
    drivers.forEach(Driver::wake);
  }

  private MemberStorage open(Wakeups wakeups) throws StartException {
    boolean known = Wal.exists(disk.files(), Configs.walFolder(config));
    MemoryBackend backend =
        disk.open(
            BackendOptions.of(clock, wakeups.backend())
                .withCadence(config.backendBatchLimit(), config.backendBatchNanos())
                .withListeners(_ -> {}, this::failed));
    return MemberStorage.open(
        config,
        known ? null : InitialCluster.of(config),
        disk.files(),
        walConfig,
        backend,
        new SnapshotInstall(backend, disk.shelf(), () -> driveWhileInstalling(backend)));
  }

  /// The apply loop waits for the backend while it installs; a crash may come in between.
  private void driveWhileInstalling(MemoryBackend backend) {
    if (world.faultsAllowed() && random.nextInt(20) == 0) {
      crashDue = true;
      throw new CrashNow();
    }
    backend.doWork();
  }

  private Pace pace(String agent) {
    return switch (agent) {
      case "wal-sync" -> walPace;
      case "backend" -> backendPace;
      case "apply-loop" -> applyPace;
      case "timers", "compaction", "wal-segments" -> new Pace(random.split(), 1_000, 100, 100);
      default -> new Pace(random.split(), 60, 20, 200);
    };
  }

  /// Power is lost.
  public void crash() {
    world.trace().note("crash", number, life, 0);
    end();
    disk.losePower();
  }

  /// The process is killed.
  public void kill() {
    world.trace().note("kill", number, life, 0);
    end();
    disk.loseProcess();
  }

  /// The process ends as it should; on a failing disk it may have to say that it could not make
  /// everything durable (seed 20774).
  void shutDown() {
    world.trace().note("shut-down", number, life, 0);
    Replica ending = replica;
    end();
    ending.stop();
    try {
      ending.close();
    } catch (RuntimeException | Error thrown) {
      failed(thrown);
    }
    if (failure != null) {
      requireFaultOfDisk();
    }
    disk.loseProcess();
  }

  private void end() {
    drivers.forEach(Driver::end);
    world.checks().ended(this);
    replica = null;
    serving = false;
    world.memberEnded(this);
  }

  /// Does nothing at all for a while: a long collection, a SIGSTOP.
  void pause(long nanos) {
    world.trace().note("pause", number, nanos, 0);
    pausedUntil = world.time().now() + nanos;
  }

  void resume() {
    pausedUntil = 0;
  }

  /// Ends the member in the middle of its next sync.
  void crashInSync() {
    disk.files()
        .beforeSync(
            _ -> {
              if (isUp()) {
                crashDue = true;
                throw new CrashNow();
              }
            });
  }

  /// What fails from now on is the disk's fault.
  void expectFailure() {
    mayFail = true;
  }

  /// The disk takes so much longer for everything, 0 to end that.
  void stallDisk(long nanos) {
    walPace.slow(nanos);
    backendPace.slow(nanos);
  }

  void failed(Throwable cause) {
    if (failure == null && !(cause instanceof CrashNow)) {
      failure = cause;
    }
  }

  // ---- steps ------------------------------------------------------------------------------------

  long pauseLeftNanos() {
    return pausedUntil - world.time().now();
  }

  /// Who publishes to the store waits while it has no room.
  boolean mayRun(String agent) {
    return !agent.equals("apply-loop") || storage.backend().hasRoom();
  }

  void stepped(String agent, boolean worked) {
    world.trace().note(agent, number, worked ? 1 : 0, 0);
    if (crashDue) {
      crash();
      return;
    }
    if (failure != null) {
      stopFailed();
      return;
    }
    world.checks().stepped(this, agent);
  }

  /// A member that cannot keep its promises stops; it must have had a reason.
  private void stopFailed() {
    requireFaultOfDisk();
    world.trace().note("stops", number, life, 0, failure);
    if (random.nextBoolean()) {
      crash();
    } else {
      kill();
    }
  }

  private void requireFaultOfDisk() {
    Throwable cause = failure;
    if (cause instanceof Broken broken) {
      throw broken;
    }
    boolean ofDisk =
        cause instanceof StorageException || cause instanceof dev.etcdj.mvcc.StorageException;
    if (!ofDisk) {
      throw new Broken("the product's own invariants", cause);
    }
    if (!mayFail) {
      throw new Broken("only a failing disk stops a member", cause);
    }
    world.stats().stops++;
  }

  // ---- what others see --------------------------------------------------------------------------

  public World world() {
    return world;
  }

  /// From 1.
  public int number() {
    return number;
  }

  public long id() {
    return id;
  }

  public boolean isUp() {
    return replica != null;
  }

  /// Whether clients may come.
  public boolean isServing() {
    return serving && isUp();
  }

  public boolean isPaused() {
    return pauseLeftNanos() > 0;
  }

  /// How often it was started.
  public int life() {
    return life;
  }

  long upSince() {
    return upSince;
  }

  LocalClock clock() {
    return clock;
  }

  /// This member's reading of a time of the world's.
  public long localNanos(long worldNanos) {
    return clock.getAsLong() - (world.time().now() - worldNanos);
  }

  public Replica replica() {
    return replica;
  }

  public MemberStorage storage() {
    return storage;
  }

  public Disk disk() {
    return disk;
  }

  /// What its log on disk would be opened with.
  public WalConfig walConfig() {
    return walConfig;
  }

  public java.nio.file.Path walFolder() {
    return Configs.walFolder(config);
  }

  public boolean isLeader() {
    return isUp() && replica.raft().view().isLeader();
  }

  /// Between the replica and the checks.
  private final class Around implements Replica.Host {
    private final int ofLife;

    Around(int ofLife) {
      this.ofLife = ofLife;
    }

    @Override
    public WalWriter.WalMetrics walMetrics() {
      return new WalWriter.WalMetrics() {
        @Override
        public void fsynced(long nanos) {}

        @Override
        public void wrote(long bytes) {}
      };
    }

    @Override
    public KvStore.EventSink events(KvStore.EventSink next) {
      return (revision, events) -> {
        world.checks().committed(Member.this, revision, events);
        next.committed(revision, events);
      };
    }

    @Override
    public BooleanSupplier commits(BooleanSupplier work) {
      return work;
    }

    @Override
    public void termBegan() {}

    @Override
    public void failed(Throwable cause) {
      if (ofLife == life) {
        Member.this.failed(cause);
      }
    }
  }
}
