package dev.etcdj.simulation.workload;

import dev.etcdj.simulation.check.Broken;
import dev.etcdj.simulation.check.Linearizability;
import dev.etcdj.simulation.check.Operation;
import dev.etcdj.simulation.check.Operation.Ended;
import dev.etcdj.simulation.check.Operation.Outcome;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.Scenario;
import dev.etcdj.simulation.world.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// All clients of a world, and what they saw.
public final class Workload {
  private final World world;
  private final List<Client> clients = new ArrayList<>();
  private final List<Watching> watchers = new ArrayList<>();
  private final List<LeaseHolder> holders = new ArrayList<>();
  private final List<Ended> history = new ArrayList<>();
  private final Set<Operation> pending = new LinkedHashSet<>();
  private final Set<Member> probed = new HashSet<>();
  private final int[] believed;
  private int values;
  private int turnsLeft;
  private long floor;
  private boolean stopped;

  public Workload(World world, SplittableRandom random) {
    Scenario scenario = world.scenario();
    this.world = world;
    this.believed = new int[scenario.keys()];
    this.turnsLeft = scenario.operations();
    for (int i = 1; i <= scenario.clients(); i++) {
      clients.add(new KvClient(world, this, random.split(), i));
    }
    for (int i = 1; i <= scenario.watchers(); i++) {
      watchers.add(new Watching(world, random.split(), i));
    }
    clients.addAll(watchers);
    for (int i = 1; i <= scenario.leases(); i++) {
      holders.add(new LeaseHolder(world, this, random.split(), i));
    }
    clients.addAll(holders);
  }

  /// Lets all clients begin.
  public void begin() {
    clients.forEach(Client::begin);
  }

  /// No new requests; leases are not renewed any more.
  public void stop() {
    stopped = true;
    holders.forEach(LeaseHolder::stop);
  }

  /// Faults are over: every member must take a write before long.
  public void probe(Iterable<Member> members) {
    for (Member member : members) {
      KvClient.probe(world, member, probed::add);
    }
  }

  /// How many members have taken one.
  public int probed() {
    return probed.size();
  }

  /// Whether watchers have seen everything and leases have ended.
  public boolean isQuiet() {
    return watchers.stream().allMatch(Watching::isCaughtUp)
        && holders.stream().allMatch(LeaseHolder::isQuiet);
  }

  /// What is not quiet.
  public String restless() {
    return "watchers "
        + watchers.stream().filter(each -> !each.isCaughtUp()).toList()
        + ", leases "
        + holders.stream().filter(each -> !each.isQuiet()).toList();
  }

  /// Judges the history as a whole.
  public void judge() {
    pending.forEach(operation -> history.add(new Ended(operation, Outcome.UNKNOWN)));
    Linearizability.Verdict verdict = Linearizability.check(history, believed.length);
    if (verdict instanceof Linearizability.Violated violated) {
      throw new Broken("histories are linearizable", violated.toString());
    }
    if (verdict instanceof Linearizability.Undecided) {
      world.stats().undecided++;
    }
  }

  // ---- for the clients --------------------------------------------------------------------------

  boolean takeTurn() {
    return !stopped && turnsLeft-- > 0;
  }

  boolean isStopped() {
    return stopped;
  }

  int freshValue() {
    return ++values;
  }

  /// Highest revision that any client has been told of.
  long floor() {
    return floor;
  }

  void acknowledged(long revision) {
    floor = Math.max(floor, revision);
  }

  void called(Operation operation) {
    pending.add(operation);
  }

  /// It had no effect.
  void refused(Operation operation) {
    pending.remove(operation);
  }

  void ended(Operation operation, Outcome outcome) {
    pending.remove(operation);
    history.add(new Ended(operation, outcome));
  }

  int believed(int key) {
    return believed[key];
  }

  void believe(int key, int value) {
    believed[key] = value;
  }
}
