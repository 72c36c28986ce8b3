/// Linearizable reads that wait for a round of heartbeats (thesis §6.4).
@NullMarked
package dev.etcdj.raft.readindex;

import org.jspecify.annotations.NullMarked;
