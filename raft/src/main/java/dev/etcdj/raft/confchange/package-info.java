/// Configurations and the steps between them: one voter at a time, or through a joint
/// configuration (thesis §4). Values and pure functions.
///
/// Read in this order: `Configuration`, `Changer`.
@NullMarked
package dev.etcdj.raft.confchange;

import org.jspecify.annotations.NullMarked;
