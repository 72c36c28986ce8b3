package dev.etcdj.raft;

/// What a node is in its term.
public enum Role {
  FOLLOWER,
  PRE_CANDIDATE,
  CANDIDATE,
  LEADER
}
