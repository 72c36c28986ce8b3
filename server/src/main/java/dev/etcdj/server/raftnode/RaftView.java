package dev.etcdj.server.raftnode;

import dev.etcdj.raft.Role;

/// What the raft loop last published about itself.
///
/// @param leader 0 when unknown
/// @param committed highest index known to be committed
/// @param leaderChanges how often a leader became known that differs from the last known one, or
///     the same one after a leaderless time (RAFT-133)
public record RaftView(
    long self, long leader, Role role, long term, long committed, long leaderChanges) {
  /// Whether this member believes it leads.
  public boolean isLeader() {
    return leader == self;
  }

  /// Whether a leader is known.
  public boolean hasLeader() {
    return leader != 0;
  }
}
