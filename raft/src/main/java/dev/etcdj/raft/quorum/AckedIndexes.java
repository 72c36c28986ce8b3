package dev.etcdj.raft.quorum;

/// How far each voter has acknowledged a growing sequence (log indexes, read rounds).
@FunctionalInterface
public interface AckedIndexes {
  /// Highest position acknowledged by `voter`, 0 when none.
  long of(long voter);
}
