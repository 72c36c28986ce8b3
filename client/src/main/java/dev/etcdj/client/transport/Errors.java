package dev.etcdj.client.transport;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import io.grpc.Status;

/// gRPC's failures as the one exception that callers see.
public final class Errors {
  private Errors() {}

  /// Code and exact text of `status`. A deadline or cancellation that happened on this side has
  /// gRPC's own wording, which names internals: it gets etcd's instead (ERR-4).
  public static EtcdException of(Status status) {
    RpcError.Code code = RpcError.Code.values()[status.getCode().value()];
    String text = status.getDescription();
    boolean fromServer = text != null && text.startsWith("etcdserver:");
    if (!fromServer && code == RpcError.Code.DEADLINE_EXCEEDED) {
      return RpcError.CONTEXT_DEADLINE_EXCEEDED.exception();
    }
    if (!fromServer && code == RpcError.Code.CANCELED) {
      return RpcError.CONTEXT_CANCELED.exception();
    }
    if (text == null) {
      text = "";
    }
    Throwable cause = status.getCause();
    if (cause != null && cause.getMessage() != null && !text.contains(cause.getMessage())) {
      text = text.isEmpty() ? cause.getMessage() : text + ": " + cause.getMessage();
    }
    return new EtcdException(code, text);
  }
}
