/// Arithmetic of majorities, of one configuration and of two at once. Values and pure functions;
/// knows nothing of logs, messages or roles.
///
/// Read in this order: `IdSet`, `Majority`, `JointQuorum`.
@NullMarked
package dev.etcdj.raft.quorum;

import org.jspecify.annotations.NullMarked;
