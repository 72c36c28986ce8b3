package dev.etcdj.proto.status;

/// An error that a client sees, with the code and text it is sent with. Carries no stack trace:
/// it is an expected outcome, made on hot paths.
public final class EtcdException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RpcError.Code code;

  /// An error outside the table, sent as it is (ERR-2).
  public EtcdException(RpcError.Code code, String text) {
    super(text, null, false, false);
    this.code = code;
  }

  /// The code it arrives with.
  public RpcError.Code code() {
    return code;
  }

  /// The exact text.
  public String text() {
    return String.valueOf(getMessage());
  }
}
