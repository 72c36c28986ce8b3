package dev.etcdj.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.etcdj.simulation.Simulation.Outcome;
import dev.etcdj.simulation.world.Stats;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Guarantee: every invariant of the design holds after every step of a cluster of 1 to 5 members
/// whose disks, network, clocks and processes fail in seeded ways.
///
/// Method: the product's own classes on one thread, virtual time, no LMDB but its twin in memory.
/// `-Dseed=` replays one seed, `-Dseeds=` and `-Dfrom=` say how many and from where.
class SimulationTest {
  private static final long DEFAULT_SEEDS = 200;
  private static final long[] TWICE = {3, 7, 21, 42, 77};

  @Test
  void promisesHold() throws InterruptedException {
    Long only = Long.getLong("seed");
    if (only != null) {
      Outcome outcome = Simulation.run(only);
      System.out.println("seed " + only + ": trace hash " + hex(outcome.hash()));
      assertTrue(!outcome.failed(), outcome::report);
      return;
    }
    long seeds = Long.getLong("seeds", DEFAULT_SEEDS);
    Seeds.Result result = Seeds.run(Long.getLong("from", 1), seeds, 3, System.out);
    System.out.println(result);
    if (!result.failures().isEmpty()) {
      fail(result.failures().stream().map(Outcome::report).collect(Collectors.joining("\n\n")));
    }
    if (seeds >= DEFAULT_SEEDS) {
      requireVariety(result.stats());
    }
  }

  /// The test would be void if these did not happen.
  private static void requireVariety(Stats stats) {
    String all = stats.toString();
    assertTrue(stats.crashes > 0 && stats.stops > 0 && stats.pauses > 0 && stats.cuts > 0, all);
    assertTrue(stats.installs > 0 && stats.elections > 0 && stats.compactions > 0, all);
    assertTrue(stats.acknowledged > 0 && stats.unknown > 0 && stats.refused > 0, all);
    assertTrue(stats.watchEvents > 0 && stats.replayedWatches > 0, all);
    assertTrue(stats.expiries > 0 && stats.renewals > 0 && stats.audits > 0, all);
  }

  @Test
  void theSameSeedGivesTheSameTrace() {
    for (long seed : TWICE) {
      String first = hex(Simulation.run(seed).hash());
      System.out.println("seed " + seed + ": trace hash " + first);
      assertEquals(first, hex(Simulation.run(seed).hash()), "seed " + seed);
    }
  }

  private static String hex(long hash) {
    return "%016x".formatted(hash);
  }
}
