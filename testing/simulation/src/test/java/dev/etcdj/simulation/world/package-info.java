/// A cluster on one thread.
///
/// Read in this order: [dev.etcdj.simulation.world.World] (phases of a run), `Scenario` (what a
/// seed decides), `Timeline` (virtual time), `Member` (a life of a replica after the other),
/// `Driver` and `Pace` (the scheduler: when which agent runs), `Nemesis` (what breaks), `Trace`.
@NullUnmarked
package dev.etcdj.simulation.world;

import org.jspecify.annotations.NullUnmarked;
