package dev.etcdj.raft.quorum;

/// What one voter answered.
public enum Ballot {
  MISSING,
  GRANTED,
  REJECTED;

  /// Where answers are looked up by voter.
  @FunctionalInterface
  public interface Box {
    /// The answer of `voter`.
    Ballot of(long voter);
  }
}
