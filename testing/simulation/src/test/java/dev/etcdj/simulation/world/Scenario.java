package dev.etcdj.simulation.world;

import dev.etcdj.server.replica.Limits;
import java.util.random.RandomGenerator;

/// What kind of world a seed makes: how many members, how they are set, what may go wrong.
///
/// @param faultNanos how long faults go on
/// @param clients key-value clients
/// @param loss chance of each message to be lost while the network is lossy
/// @param duplication chance of each message to come twice
/// @param orderedStreams whether messages of one stream keep their order, as TCP has it
/// @param clockSkew greatest relative deviation of a member's clock
/// @param slowApply whether apply loops lag behind
/// @param slowDisk whether syncs take long
/// @param diskFaults whether disks fail and fill up
/// @param tinyBatches whether the store commits a few operations at a time
/// @param maxSegments released log segments kept
public record Scenario(
    int members,
    long faultNanos,
    long meanFaultPauseNanos,
    int clients,
    int operations,
    int keys,
    boolean wideReads,
    int watchers,
    int leases,
    int valueBytes,
    double loss,
    double duplication,
    boolean orderedStreams,
    double clockSkew,
    boolean slowApply,
    boolean slowDisk,
    boolean diskFaults,
    boolean tinyBatches,
    long snapshotCount,
    long catchupEntries,
    int segmentBytes,
    int maxSegments,
    boolean preVote,
    Limits limits) {
  private static final long SECOND = 1_000_000_000L;

  static Scenario of(RandomGenerator random) {
    int members = new int[] {1, 2, 3, 3, 3, 3, 3, 3, 4, 5}[random.nextInt(10)];
    boolean cutsOften = random.nextInt(3) > 0;
    return new Scenario(
        members,
        3 * SECOND + random.nextLong(5 * SECOND),
        SECOND / 3 + random.nextLong(SECOND),
        2 + random.nextInt(3),
        60 + random.nextInt(80),
        1 + random.nextInt(6),
        random.nextInt(4) == 0,
        1 + random.nextInt(3),
        random.nextInt(3),
        random.nextInt(3) == 0 ? 400 : 8,
        random.nextInt(3) * 0.05,
        random.nextInt(3) * 0.03,
        random.nextInt(4) > 0,
        random.nextInt(3) == 0 ? 0.1 : 0.001,
        random.nextInt(4) == 0,
        random.nextInt(4) == 0,
        random.nextInt(3) == 0,
        random.nextBoolean(),
        cutsOften ? 3 + random.nextInt(30) : 10_000,
        cutsOften ? 1 + random.nextInt(10) : 5_000,
        random.nextInt(2) == 0 ? 4_096 : 16_384,
        1 + random.nextInt(3),
        random.nextInt(5) > 0,
        limits(random, cutsOften));
  }

  private static Limits limits(RandomGenerator random, boolean cutsOften) {
    boolean tight = random.nextInt(4) == 0;
    return new Limits(
        tight ? 16 : 128,
        tight ? 4 : 64,
        tight ? 2 : 32,
        tight ? 32 : 128,
        tight ? 16 : 128,
        tight ? 20 : 5_000,
        cutsOften ? 1 + random.nextInt(10) : 100,
        1 << 20,
        4 << random.nextInt(5),
        tight ? 512 : 1 << 20,
        tight ? 2 : 32,
        1);
  }
}
