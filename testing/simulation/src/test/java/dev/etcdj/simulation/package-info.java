/// A whole cluster on one thread: virtual time, seeded faults, every invariant checked.
///
/// The rooms: `world` (time, members, misfortunes), `network`, `disk`, `workload` (clients),
// `check`
/// (what must hold), `mutant` (faults planted to see the checks speak). Begin with
/// [dev.etcdj.simulation.SimulationTest] and [dev.etcdj.simulation.world.World].
///
/// The classes of raft, WAL, applier, mvcc, lease and watch are the product's own, wired by its own
/// `Replica`. Made for the simulation are only what is behind its seams: clocks, randomness, peers,
/// files, the store's engine, and when an agent's step runs.
///
/// Every random choice comes from the seed; each part draws from a generator of its own, so that a
/// change of one part leaves the others' choices alone. A seed's world is confined to its thread.
@NullUnmarked
package dev.etcdj.simulation;

import org.jspecify.annotations.NullUnmarked;
