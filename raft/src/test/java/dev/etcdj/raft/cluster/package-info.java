/// Random clusters on one thread, and a spectator who checks the guarantees.
@NullMarked
package dev.etcdj.raft.cluster;

import org.jspecify.annotations.NullMarked;
