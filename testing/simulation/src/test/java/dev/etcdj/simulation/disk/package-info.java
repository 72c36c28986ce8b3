/// What a member keeps: [dev.etcdj.simulation.disk.Disk] is its log's files in memory, the store's
/// twin in memory, and a shelf of leaders' snapshots. Loses, tears, stalls, fills up and fails.
@NullUnmarked
package dev.etcdj.simulation.disk;

import org.jspecify.annotations.NullUnmarked;
