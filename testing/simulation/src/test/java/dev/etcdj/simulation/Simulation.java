package dev.etcdj.simulation;

import dev.etcdj.simulation.check.Broken;
import dev.etcdj.simulation.world.Stats;
import dev.etcdj.simulation.world.World;

/// Runs seeds. Each one is a world of its own on the calling thread; nothing is shared.
public final class Simulation {
  private static final int TAIL_LINES = 60;

  /// What came of a seed.
  ///
  /// @param hash over every step
  /// @param check the check that spoke, null when none did
  /// @param report for the reader, empty when none did
  public record Outcome(long seed, long hash, String check, String report, Stats stats) {
    public boolean failed() {
      return check != null;
    }
  }

  private Simulation() {}

  /// Runs one seed to its end or to the first broken promise.
  public static Outcome run(long seed) {
    World world = new World(seed);
    try {
      world.run();
      return new Outcome(seed, world.trace().hash(), null, "", world.stats());
    } catch (Broken broken) {
      return failed(seed, world, broken.check(), broken);
    } catch (RuntimeException | Error thrown) {
      return failed(seed, world, "the product's own invariants", thrown);
    }
  }

  private static Outcome failed(long seed, World world, String check, Throwable cause) {
    java.io.StringWriter stack = new java.io.StringWriter();
    cause.printStackTrace(new java.io.PrintWriter(stack));
    String report =
        "seed "
            + seed
            + ": "
            + cause
            + "\n"
            + world.scenario()
            + "\nreplay with: mvn -pl testing/simulation verify -Dseed="
            + seed
            + "\nthe last steps:\n"
            + world.trace().tail(TAIL_LINES)
            + stack;
    return new Outcome(seed, world.trace().hash(), check, report, world.stats());
  }
}
