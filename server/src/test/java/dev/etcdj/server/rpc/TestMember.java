package dev.etcdj.server.rpc;

import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.watch.WatchHub;
import dev.etcdj.server.agent.Agent;
import dev.etcdj.server.agent.AgentRunner;
import dev.etcdj.server.apply.Machine;
import dev.etcdj.server.apply.ScriptedRaft;
import dev.etcdj.server.http.ClientPort;
import dev.etcdj.server.http.EventLoops;
import dev.etcdj.server.http.Router;
import dev.etcdj.server.lease.LeadershipCheck;
import dev.etcdj.server.lease.LeaseExpirer;
import dev.etcdj.server.lease.LeaseRenewals;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/// One member with everything real but raft and the disk, behind a real gRPC server on a loopback
/// port, with real threads. The clock stands still unless the test moves it.
final class TestMember implements AutoCloseable {
  static {
    ((ch.qos.logback.classic.Logger) org.slf4j.LoggerFactory.getLogger("ROOT"))
        .setLevel(ch.qos.logback.classic.Level.WARN);
  }

  final Machine machine;
  final ScriptedRaft raft = new ScriptedRaft();
  final WatchHub hub;
  final Core core;

  /// Watch responses that went out in the write of another.
  final AtomicLong sentAlong = new AtomicLong();
  final Services services;
  final ManagedChannel channel;
  volatile Throwable failure;
  private final EventLoops loops = new EventLoops("rpc", 2);
  private final ClientPort server;
  private final List<AgentRunner> runners = new ArrayList<>();
  private final ExecutorService bigReads = Executors.newSingleThreadExecutor();

  TestMember(long quotaBytes) throws Exception {
    MemoryBackend backend = new MemoryBackend(BackendOptions.of(System::nanoTime, () -> wake(0)));
    hub =
        new WatchHub(
            new WatchHub.Options(1 << 20, 1_000, 2 << 20, 600 * Machine.SECOND, 1_000),
            System::nanoTime,
            bound -> bound / 2,
            () -> wake(1));
    machine = new Machine(backend, raft, hub, quotaBytes, () -> wake(2), () -> wake(3));
    hub.attach(machine.kv);
    run("backend", backend::doWork, backend::nanosUntilDue);
    run("watch-sync", hub::doWork, hub::nanosUntilDue);
    runners.add(new AgentRunner(machine.loop, e -> failure = e));
    runners.add(new AgentRunner(machine.timers, e -> failure = e));
    run("compaction", machine.kv::doWork, () -> 1_000_000);
    runners.forEach(AgentRunner::start);

    LeadershipCheck leadership =
        new LeadershipCheck(raft, machine.reads, machine.nanos::get, Machine.SECOND / 10);
    LeaseRenewals renewals =
        new LeaseRenewals(
            new LeaseRenewals.Limits(7 * Machine.SECOND, Machine.SECOND),
            machine.lessor,
            raft,
            machine.membership,
            leadership,
            machine.appliedWaits,
            machine.proposer,
            (_, _, _, _, answer) -> answer.done(0, new byte[0]),
            machine.timers,
            machine.nanos::get);
    new LeaseExpirer(machine.lessor, leadership, machine.proposer, 7 * Machine.SECOND)
        .start(machine.timers);
    core =
        new Core(
            new Core.Limits("3.7.1", 128, 1_572_864, quotaBytes, Machine.SECOND),
            machine.stores,
            machine.applier,
            machine.quota,
            machine.membership,
            raft,
            machine.proposer,
            machine.reads,
            renewals,
            hub,
            machine.ids,
            machine.timers,
            new Headers(0xc1, ScriptedRaft.SELF, machine.applier::headerTerm),
            new BigReads(new BigReads.Limits(100, 64 << 20), bigReads));
    services = new Services(core, (messages, _) -> sentAlong.addAndGet(messages));
    services.setServing(true);
    server =
        ClientPort.open(
            loops,
            List.of(URI.create("http://127.0.0.1:0")),
            services.definitions(),
            new Router(),
            ClientPort.Limits.withDefaults(1_572_864),
            null);
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.addresses().getFirst().getPort())
            .usePlaintext()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
    raft.commit(
        dev.etcdj.raft.log.EntryType.CONF_CHANGE,
        new dev.etcdj.server.peer.RaftpbConfChangeCodec()
            .encode(Machine.bootstrapMember(ScriptedRaft.SELF)));
    raft.commitEmpty();
    await(() -> machine.applier.appliedIndex() == 2);
  }

  private void wake(int runner) {
    if (runner < runners.size()) {
      runners.get(runner).wake();
    }
  }

  private void run(String name, BooleanSupplier work, java.util.function.LongSupplier due) {
    runners.add(
        new AgentRunner(
            new Agent() {
              @Override
              public String name() {
                return name;
              }

              @Override
              public boolean doWork() {
                return work.getAsBoolean();
              }

              @Override
              public long nanosUntilDue() {
                return due.getAsLong();
              }
            },
            e -> failure = e));
  }

  /// Moves the member's clock; what falls due runs on the timer thread.
  void advance(long nanos) {
    machine.nanos.addAndGet(nanos);
    wake(3);
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 2_000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(5);
    }
    if (!condition.getAsBoolean()) {
      throw new AssertionError("did not happen within 10 s");
    }
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow();
    server.close();
    loops.close();
    runners.reversed().forEach(AgentRunner::close);
    bigReads.shutdownNow();
    if (failure != null) {
      throw new AssertionError("a thread of the member failed", failure);
    }
  }
}
