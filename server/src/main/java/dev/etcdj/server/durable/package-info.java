/// What a member finds and leaves on disk: the data directory, the log and the store it starts
/// from, snapshot files.
///
/// Read in this order: [DataDir], [InitialCluster] (who the members of a new cluster are),
/// [MemberLog] (the log as raft continues it).
@NullMarked
package dev.etcdj.server.durable;

import org.jspecify.annotations.NullMarked;
