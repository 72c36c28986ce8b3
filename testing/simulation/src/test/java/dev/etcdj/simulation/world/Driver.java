package dev.etcdj.simulation.world;

import dev.etcdj.server.agent.Agent;

/// Stands for the thread of one agent: runs it some time after it is woken, again while it works,
/// and when it said it would be due. How long each of these takes is the scheduler's choice, so
/// agents of one member overtake each other in any order.
final class Driver {
  private final Member member;
  private final Agent agent;
  private final Pace pace;
  private Timeline.Moment next;
  private long nextAt = Long.MAX_VALUE;
  private boolean ended;

  Driver(Member member, Agent agent, Pace pace) {
    this.member = member;
    this.agent = agent;
    this.pace = pace;
  }

  String name() {
    return agent.name();
  }

  /// There is work.
  void wake() {
    schedule(pace.wakeNanos());
  }

  private void schedule(long delayNanos) {
    long at = member.world().time().now() + delayNanos;
    if (ended || at >= nextAt) {
      return;
    }
    if (next != null) {
      next.cancel();
    }
    nextAt = at;
    next = member.world().time().after(delayNanos, this::run);
  }

  /// Never runs again.
  void end() {
    ended = true;
    if (next != null) {
      next.cancel();
    }
  }

  private void run() {
    next = null;
    nextAt = Long.MAX_VALUE;
    long wait = member.pauseLeftNanos();
    if (wait > 0 || !member.mayRun(agent.name())) {
      schedule(wait > 0 ? wait + pace.wakeNanos() : 1_000_000);
      return;
    }
    boolean worked;
    try {
      worked = agent.doWork();
    } catch (CrashNow crash) {
      worked = false;
    } catch (RuntimeException | Error failure) {
      worked = false;
      member.failed(failure);
    }
    member.stepped(agent.name(), worked);
    if (ended) {
      return;
    }
    if (worked) {
      schedule(pace.stepNanos());
    } else {
      long due = agent.nanosUntilDue();
      if (due != Long.MAX_VALUE) {
        schedule(Math.max(1, member.clock().toWorld(due)) + pace.wakeNanos());
      }
    }
  }
}
