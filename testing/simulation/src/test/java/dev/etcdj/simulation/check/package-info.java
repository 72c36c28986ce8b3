/// What must hold: [dev.etcdj.simulation.check.Checks] says when which check looks.
///
/// `Elections` (terms, votes, commit), `Durability` (what was attested is on disk), `Truth` (one
/// log, one history of revisions, one store), `Leases` (not early), `Linearizability` (what clients
/// saw). Watches are checked by those who watch, in `workload`.
@NullUnmarked
package dev.etcdj.simulation.check;

import org.jspecify.annotations.NullUnmarked;
