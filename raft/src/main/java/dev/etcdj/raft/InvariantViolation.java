package dev.etcdj.raft;

/// Something that cannot happen has happened: this member's log or state is lost or forked, or the
/// application broke the contract. The member must stop, because carrying on lets members diverge.
public final class InvariantViolation extends Error {
  private static final long serialVersionUID = 1L;

  public InvariantViolation(String message) {
    super(message);
  }
}
