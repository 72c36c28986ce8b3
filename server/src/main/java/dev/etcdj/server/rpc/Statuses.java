package dev.etcdj.server.rpc;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import io.grpc.Status;

/// From our errors to gRPC's.
final class Statuses {
  private Statuses() {}

  static Status of(EtcdException error) {
    return Status.fromCodeValue(error.code().number()).withDescription(error.text());
  }

  static Status of(RpcError error) {
    return Status.fromCodeValue(error.code().number()).withDescription(error.text());
  }

  /// How a client sees an error of ours when it is told as text (WATCH-13).
  static String clientText(EtcdException error) {
    String[] words = error.code().name().split("_", -1);
    StringBuilder code = new StringBuilder();
    for (String word : words) {
      code.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return "rpc error: code = " + code + " desc = " + error.text();
  }
}
