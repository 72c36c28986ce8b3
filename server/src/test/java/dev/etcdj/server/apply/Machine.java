package dev.etcdj.server.apply;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.server.alarm.AlarmStore;
import dev.etcdj.server.lease.Lessor;
import dev.etcdj.server.membership.ClusterMembership;
import dev.etcdj.server.membership.PeerDirectory;
import dev.etcdj.server.peer.RaftpbConfChangeCodec;
import dev.etcdj.server.propose.Connections;
import dev.etcdj.server.propose.LeaderHistory;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.propose.RequestIds;
import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.propose.Waiters;
import dev.etcdj.server.read.AppliedWaits;
import dev.etcdj.server.read.LinearizableReads;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The state machine of one member with its real parts, over a given backend and a scripted raft,
/// driven by the test's thread: no clock runs by itself.
public final class Machine {
  public static final long SECOND = 1_000_000_000L;

  public final AtomicLong nanos = new AtomicLong(SECOND);
  public final ScriptedRaft raft;
  public final Backend backend;
  public final Lessor lessor;
  public final AlarmStore alarms = new AlarmStore();
  public final KvStore kv;
  public final Stores stores;
  public final ClusterMembership membership;
  public final Quota quota;
  public final RequestIds ids = new RequestIds(ScriptedRaft.SELF, 1_000);
  public final Waiters waiters = new Waiters(ids, 1 << 10);
  public final LeaderHistory history = new LeaderHistory(nanos::get);
  public final Timers timers;
  public final Applier applier;
  public final ApplyLoop loop;
  public final Proposer proposer;
  public final AppliedWaits appliedWaits;
  public final LinearizableReads reads;
  public volatile Connections connections = _ -> 0;

  public static BackendOptions options() {
    return BackendOptions.of(() -> 0, () -> {});
  }

  public Machine() {
    this(new MemoryBackend(options()), new ScriptedRaft(), (_, _) -> {}, -1, () -> {}, () -> {});
  }

  public Machine(
      Backend backend,
      ScriptedRaft raft,
      KvStore.EventSink events,
      long quotaBytes,
      Runnable wakeApply,
      Runnable wakeTimers) {
    this.backend = backend;
    this.raft = raft;
    timers = new Timers(nanos::get, wakeTimers);
    lessor = new Lessor(nanos::get, 2, SECOND);
    try (ReadView view = backend.read()) {
      lessor.load(view);
      alarms.load(view);
    }
    kv = KvStore.open(backend, lessor, events, new KvStore.Options(1_000, 0, nanos::get, () -> {}));
    stores = new Stores(kv, backend, lessor, alarms);
    membership = new ClusterMembership(ScriptedRaft.SELF, 0xc1, 1, NO_PEERS, backend);
    quota = new Quota(stores, quotaBytes);
    applier =
        new Applier(
            stores,
            membership,
            raft,
            new RaftpbConfChangeCodec(),
            waiters,
            quota,
            CommandGate.OPEN,
            new Applier.Hooks() {
              @Override
              public void raiseNoSpace(Runnable then) {
                proposer().raiseNoSpace(then);
              }

              @Override
              public void termBegan(long term) {
                reads().termBegan();
              }
            });
    loop = new ApplyLoop(applier, _ -> {}, 10_000, wakeApply);
    raft.applyLoop = loop::offer;
    proposer =
        new Proposer(
            new Proposer.Limits(1_572_864, 5_000, 7 * SECOND, SECOND),
            raft,
            membership,
            waiters,
            history,
            id -> connections.activeSince(id),
            applier::appliedIndex,
            nanos::get);
    proposer.start(timers);
    appliedWaits = new AppliedWaits(applier::appliedIndex);
    loop.onApplied(appliedWaits::applied);
    reads =
        new LinearizableReads(
            new LinearizableReads.Limits(SECOND / 2, 7 * SECOND, 1_000),
            raft,
            membership,
            ids,
            appliedWaits,
            applier::appliedTerm,
            nanos::get);
    reads.start(timers);
    raft.readStates = reads::onReadState;
  }

  private Proposer proposer() {
    return proposer;
  }

  private LinearizableReads reads() {
    return reads;
  }

  private static final PeerDirectory NO_PEERS =
      new PeerDirectory() {
        @Override
        public void memberAt(long id, List<String> peerUrls) {}

        @Override
        public void memberRemoved(long id) {}
      };

  /// The change by which a new cluster writes a member into its log (CLUS-13).
  public static ConfChange bootstrapMember(long id) {
    String context =
        "{\"id\":%s,\"peerURLs\":[\"http://localhost:2380\"],\"name\":\"m\"}"
            .formatted(Long.toUnsignedString(id));
    return ConfChange.single(
        ConfChange.Kind.ADD_NODE, id, 0, Bytes.wrap(context.getBytes(StandardCharsets.UTF_8)));
  }

  /// Writes this member, and a first entry of the leader, into the log.
  public Machine bootstrap() {
    raft.commit(
        EntryType.CONF_CHANGE,
        new RaftpbConfChangeCodec().encode(bootstrapMember(ScriptedRaft.SELF)));
    raft.commitEmpty();
    run();
    return this;
  }

  /// Applies all there is.
  public void run() {
    while (loop.doWork()) {}
  }

  /// Moves the clock and runs what falls due.
  public void advance(long byNanos) {
    nanos.addAndGet(byNanos);
    while (timers.doWork()) {}
  }
}
