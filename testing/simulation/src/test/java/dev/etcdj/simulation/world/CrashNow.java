package dev.etcdj.simulation.world;

/// Thrown in the middle of a member's step to end it there.
final class CrashNow extends Error {
  private static final long serialVersionUID = 1L;

  CrashNow() {
    super("crash", null, false, false);
  }
}
