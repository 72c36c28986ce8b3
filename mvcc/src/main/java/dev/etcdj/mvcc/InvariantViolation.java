package dev.etcdj.mvcc;

/// Our own bug: a state the store holds impossible. Stops the member, because carrying on lets
/// members diverge.
public final class InvariantViolation extends Error {
  private static final long serialVersionUID = 1L;

  public InvariantViolation(String what) {
    super(what);
  }
}
