package dev.etcdj.raft.quorum;

/// How an election stands.
public enum VoteResult {
  /// Neither a majority granted, nor has one become impossible.
  PENDING,
  /// A majority of grants has become impossible.
  LOST,
  /// A majority granted.
  WON
}
