package dev.etcdj.server.durable;

/// A member cannot start, for a reason the operator can do something about; the message is one
/// line that says what.
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
