package dev.etcdj.simulation.world;

import dev.etcdj.server.durable.StartException;
import dev.etcdj.simulation.check.Broken;
import dev.etcdj.simulation.check.Checks;
import dev.etcdj.simulation.network.Network;
import dev.etcdj.simulation.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// A cluster, its clients and its misfortunes on one thread, all drawn from one seed: first faults,
/// then none, then the last checks.
public final class World {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;

  /// After the last fault every member takes a write within this time.
  private static final long RECOVERY_NANOS = 30 * SECOND;

  /// And some time later all members agree, all watchers have everything, no lease is left.
  private static final long CALM_NANOS = 30 * SECOND;

  private static final long LOOK_NANOS = 50 * MILLI;

  private enum Phase {
    FAULTS,
    RECOVERY,
    CALM,
    OVER
  }

  private final Scenario scenario;
  private final Timeline time = new Timeline();
  private final Trace trace = new Trace(time);
  private final Stats stats = new Stats();
  private final Network network;
  private final Checks checks;
  private final List<Member> members = new ArrayList<>();
  private final Map<Long, Member> byId = new HashMap<>();
  private final Workload workload;
  private final SplittableRandom restarts;
  private Phase phase = Phase.FAULTS;
  private long phaseSince;

  public World(long seed) {
    SplittableRandom random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 1);
    this.scenario = Scenario.of(random.split());
    this.network = new Network(this, scenario.members(), random.split());
    this.checks = new Checks(this, scenario.members());
    this.restarts = random.split();
    try {
      for (int i = 1; i <= scenario.members(); i++) {
        Member member = new Member(this, i, random.split());
        members.add(member);
        byId.put(member.id(), member);
      }
    } catch (StartException impossible) {
      throw new IllegalStateException(impossible);
    }
    this.workload = new Workload(this, random.split());
    new Nemesis(this, random.split()).begin();
  }

  /// Runs to the end.
  ///
  /// @throws Broken when a promise is
  public void run() {
    members.forEach(Member::start);
    workload.begin();
    time.after(LOOK_NANOS, this::look);
    while (phase != Phase.OVER && time.step()) {
      // Each step checks for itself.
    }
    Broken.unless(phase == Phase.OVER, "time goes on", () -> "nothing left to happen");
    finish();
  }

  private void look() {
    long inPhase = time.now() - phaseSince;
    switch (phase) {
      case FAULTS -> {
        if (inPhase >= scenario.faultNanos()) {
          mend();
          enter(Phase.RECOVERY);
        }
      }
      case RECOVERY -> {
        if (workload.probed() == members.size()) {
          enter(Phase.CALM);
        }
        Broken.unless(
            inPhase < RECOVERY_NANOS,
            "the cluster recovers",
            () ->
                workload.probed()
                    + " of "
                    + members.size()
                    + " members took a write since "
                    + phaseSince);
      }
      case CALM -> {
        if (agree() && workload.isQuiet()) {
          enter(Phase.OVER);
        }
        Broken.unless(
            inPhase < CALM_NANOS,
            "the cluster comes to rest",
            () ->
                workload.restless() + ", members " + members.stream().map(this::applied).toList());
      }
      case OVER -> {}
    }
    time.after(LOOK_NANOS, this::look);
  }

  private void enter(Phase next) {
    phase = next;
    phaseSince = time.now();
    trace.note("phase", 0, next.ordinal(), 0);
  }

  private void mend() {
    network.heal();
    network.lossy(false);
    workload.stop();
    for (Member member : members) {
      member.disk().heal();
      member.stallDisk(0);
      member.resume();
      if (!member.isUp()) {
        member.start();
      }
    }
    workload.probe(members);
  }

  private long applied(Member member) {
    return member.isUp() ? member.replica().applier().appliedIndex() : -1;
  }

  private boolean agree() {
    long first = applied(members.getFirst());
    return first >= 0
        && members.stream()
            .allMatch(
                member ->
                    applied(member) == first
                        && member.replica().raft().view().committed() == first);
  }

  private void finish() {
    for (Member member : members) {
      checks.truth().compare(member, applied(member));
    }
    workload.judge();
  }

  /// A member has ended; it comes back some time.
  void memberEnded(Member member) {
    int life = member.life();
    long down =
        restarts.nextInt(5) == 0
            ? restarts.nextLong(5 * SECOND)
            : 10 * MILLI + restarts.nextLong(SECOND);
    time.after(
        down,
        () -> {
          if (!member.isUp() && member.life() == life) {
            member.disk().heal();
            member.start();
          }
        });
  }

  /// Whether things may still break.
  public boolean faultsAllowed() {
    return phase == Phase.FAULTS;
  }

  public Scenario scenario() {
    return scenario;
  }

  public Timeline time() {
    return time;
  }

  public Trace trace() {
    return trace;
  }

  public Stats stats() {
    return stats;
  }

  public Network network() {
    return network;
  }

  public Checks checks() {
    return checks;
  }

  public List<Member> members() {
    return members;
  }

  /// Null for an id that is nobody's.
  public Member member(long id) {
    return byId.get(id);
  }

  /// From 1.
  public Member memberNumber(int number) {
    return members.get(number - 1);
  }

  public Member memberAt(String peerUrl) {
    for (Member member : members) {
      if (Configs.peerUrl(member.number()).equals(peerUrl)) {
        return member;
      }
    }
    throw new IllegalArgumentException(peerUrl);
  }

  public Member anyMember(RandomGenerator random) {
    return members.get(random.nextInt(members.size()));
  }

  /// Since when both run.
  public long upSince(Member a, Member b) {
    return Math.max(a.upSince(), b.upSince());
  }
}
