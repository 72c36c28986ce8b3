package dev.etcdj.etcdctl;

/// Ends a command with an exit code and one line on standard error. It carries no stack trace: it
/// is the answer to bad input or to a refusal of the server, never a fault of this program.
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// A request failed, or anything without a code of its own.
  public static final int ERROR = 1;

  /// The cluster cannot be reached, or a lease request failed.
  public static final int BAD_CONNECTION = 2;

  /// Standard input makes no sense.
  public static final int INVALID_INPUT = 3;

  /// A flag is known, its value is not.
  public static final int BAD_FEATURE = 4;

  /// What ran was ended from outside.
  public static final int INTERRUPTED = 5;

  /// The arguments make no sense.
  public static final int BAD_ARGS = 128;

  private final int exitCode;

  /// Prints `Error: text`.
  public Failure(int exitCode, String text) {
    super(text, null, false, false);
    this.exitCode = exitCode;
  }

  /// Status that the process ends with.
  public int exitCode() {
    return exitCode;
  }

  /// What to print behind `Error: `; empty: nothing is printed.
  public String text() {
    return String.valueOf(getMessage());
  }
}
