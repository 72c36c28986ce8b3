package dev.etcdj.simulation.check;

import java.util.function.Supplier;

/// A promise was broken.
public final class Broken extends AssertionError {
  private static final long serialVersionUID = 1L;
  private final String check;

  /// @param check name of the check that noticed
  public Broken(String check, String how) {
    super(check + ": " + how);
    this.check = check;
  }

  public Broken(String check, Throwable cause) {
    super(check + ": " + cause, cause);
    this.check = check;
  }

  public String check() {
    return check;
  }

  /// Throws unless `holds`. Checks run millions of times: `how` is put into words only then.
  public static void unless(boolean holds, String check, Supplier<String> how) {
    if (!holds) {
      throw new Broken(check, how.get());
    }
  }
}
