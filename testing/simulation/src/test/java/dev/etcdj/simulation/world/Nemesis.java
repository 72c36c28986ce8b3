package dev.etcdj.simulation.world;

import java.util.List;
import java.util.SplittableRandom;

/// Breaks things, one after the other or several at a time, and mends each after a while.
final class Nemesis {
  private static final long MILLI = 1_000_000L;

  private final World world;
  private final SplittableRandom random;
  private int cuts;

  Nemesis(World world, SplittableRandom random) {
    this.world = world;
    this.random = random;
  }

  void begin() {
    world.time().after(1_500 * MILLI + random.nextLong(1_000 * MILLI), this::strike);
  }

  private void strike() {
    if (!world.faultsAllowed()) {
      return;
    }
    Member victim = victim();
    switch (random.nextInt(14)) {
      case 0, 1 -> crash(victim);
      case 2 -> kill(victim);
      case 3 -> crashAll();
      case 4 -> shutDown(victim);
      case 5, 6 -> pause(victim);
      case 7, 8 -> cut(1 << victim.number(), true);
      case 9 -> cut(1 << victim.number(), false);
      case 10 -> cut(random.nextInt(1 << (world.scenario().members() + 1)), true);
      case 11 -> lose();
      case 12 -> breakDisk(victim);
      default -> stall(victim);
    }
    world.time().after(random.nextLong(2 * world.scenario().meanFaultPauseNanos()), this::strike);
  }

  /// Leaders suffer most.
  private Member victim() {
    List<Member> members = world.members();
    if (random.nextBoolean()) {
      for (Member member : members) {
        if (member.isLeader()) {
          return member;
        }
      }
    }
    return members.get(random.nextInt(members.size()));
  }

  private long aWhile() {
    return random.nextInt(4) == 0
        ? random.nextLong(6_000 * MILLI)
        : 50 * MILLI + random.nextLong(2_000 * MILLI);
  }

  private void crash(Member victim) {
    if (victim.isUp()) {
      world.stats().crashes++;
      if (random.nextInt(3) == 0) {
        victim.crashInSync();
      } else {
        victim.crash();
      }
    }
  }

  private void kill(Member victim) {
    if (victim.isUp()) {
      world.stats().crashes++;
      victim.kill();
    }
  }

  /// The power of all fails at once.
  private void crashAll() {
    world.members().forEach(this::crash);
  }

  private void shutDown(Member victim) {
    if (victim.isUp() && !victim.isPaused()) {
      victim.shutDown();
    }
  }

  private void pause(Member victim) {
    if (victim.isUp()) {
      world.stats().pauses++;
      victim.pause(aWhile());
    }
  }

  private void cut(int members, boolean bothWays) {
    world.stats().cuts++;
    world.trace().note("cut", 0, members, bothWays ? 2 : 1);
    world.network().separate(members, bothWays);
    int mine = ++cuts;
    world
        .time()
        .after(
            aWhile(),
            () -> {
              if (mine == cuts) {
                world.trace().note("join", 0, 0, 0);
                world.network().heal();
              }
            });
  }

  private void lose() {
    world.network().lossy(true);
    world.time().after(aWhile(), () -> world.network().lossy(false));
  }

  private void breakDisk(Member victim) {
    if (!world.scenario().diskFaults() || !victim.isUp()) {
      return;
    }
    victim.expectFailure();
    int kind = random.nextInt(5);
    world.trace().note("breaks-disk", victim.number(), kind, 0);
    switch (kind) {
      case 0 -> victim.disk().files().failSync(random.nextInt(4));
      case 1 -> victim.disk().files().failWriteAfter(random.nextInt(2_000));
      case 2 -> victim.disk().files().leaveFree(random.nextInt(20_000));
      case 3 -> victim.disk().backend().failNextCommit();
      default -> {
        if (!world.scenario().tinyBatches()) {
          victim.disk().backend().capacityBytes(victim.disk().backend().sizeInUseBytes() + 200);
          int life = victim.life();
          world
              .time()
              .after(
                  aWhile(),
                  () -> {
                    if (victim.life() == life) {
                      victim.disk().heal();
                    }
                  });
        }
      }
    }
  }

  private void stall(Member victim) {
    victim.stallDisk(50 * MILLI + random.nextLong(1_500 * MILLI));
    world.time().after(aWhile(), () -> victim.stallDisk(0));
  }
}
