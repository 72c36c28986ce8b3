package dev.etcdj.simulation.check;

import dev.etcdj.mvcc.Event;
import dev.etcdj.raft.message.Message;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.List;

/// All checks that look inside, and when they look.
public final class Checks {
  private final World world;
  private final Elections elections;
  private final Durability durability;
  private final Truth truth;
  private final Leases leases;

  public Checks(World world, int members) {
    this.world = world;
    this.elections = new Elections(world, members);
    this.durability = new Durability(world, members);
    this.leases = new Leases(world);
    this.truth = new Truth(world, members, leases);
  }

  public Truth truth() {
    return truth;
  }

  public Leases leases() {
    return leases;
  }

  /// A member has opened what its disk holds and does not run yet.
  public void started(Member member) {
    durability.started(member);
    truth.started(member);
    elections.started(member);
  }

  /// A member has ended.
  public void ended(Member member) {
    durability.ended(member);
  }

  /// A member hands a message to the network.
  public void sent(Member member, Message message) {
    elections.sent(member, message);
    durability.sent(member, message);
  }

  /// A member has made a step.
  public void stepped(Member member, String agent) {
    world.stats().steps++;
    switch (agent) {
      case "raft-loop" -> {
        elections.stepped(member);
        durability.stepped(member, elections.committed());
      }
      case "apply-loop" -> truth.applied(member);
      default -> {}
    }
  }

  /// A member's store has a new revision.
  public void committed(Member member, long revision, List<Event> events) {
    truth.committed(member, revision, events);
  }
}
