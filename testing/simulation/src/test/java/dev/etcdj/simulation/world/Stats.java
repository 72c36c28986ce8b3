package dev.etcdj.simulation.world;

/// What a run came across: a simulation in which these stay at zero shows nothing.
public final class Stats {
  public long steps;
  public long crashes;
  public long stops;
  public long pauses;
  public long cuts;
  public long snapshots;
  public long installs;
  public long elections;
  public long applied;
  public long acknowledged;
  public long unknown;
  public long refused;
  public long watchEvents;
  public long replayedWatches;
  public long compactions;
  public long expiries;
  public long renewals;
  public long audits;
  public long undecided;

  /// Adds another run's.
  public synchronized void add(Stats other) {
    steps += other.steps;
    crashes += other.crashes;
    stops += other.stops;
    pauses += other.pauses;
    cuts += other.cuts;
    snapshots += other.snapshots;
    installs += other.installs;
    elections += other.elections;
    applied += other.applied;
    acknowledged += other.acknowledged;
    unknown += other.unknown;
    refused += other.refused;
    watchEvents += other.watchEvents;
    replayedWatches += other.replayedWatches;
    compactions += other.compactions;
    expiries += other.expiries;
    renewals += other.renewals;
    audits += other.audits;
    undecided += other.undecided;
  }

  @Override
  public String toString() {
    return ("steps %d, crashes %d, stops by disk faults %d, pauses %d, cuts %d, snapshots sent %d and"
            + " installed %d, terms %d, entries applied %d, requests answered %d, unknown %d,"
            + " refused %d, watch events %d, watches resumed %d, compactions %d, leases expired %d"
            + " and renewed %d, disk audits %d, histories undecided %d")
        .formatted(
            steps,
            crashes,
            stops,
            pauses,
            cuts,
            snapshots,
            installs,
            elections,
            applied,
            acknowledged,
            unknown,
            refused,
            watchEvents,
            replayedWatches,
            compactions,
            expiries,
            renewals,
            audits,
            undecided);
  }
}
