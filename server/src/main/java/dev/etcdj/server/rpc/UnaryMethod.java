package dev.etcdj.server.rpc;

import com.google.protobuf.MessageLite;
import dev.etcdj.server.apply.ApplyResult;

/// How one unary method is served. Stateless; everything runs on the call's loop and must not
/// block. An [EtcdException] thrown here is the call's answer.
interface UnaryMethod<Q extends MessageLite> {
  /// The request is there.
  void start(UnaryCall<Q> call, Q request);

  /// The proposal of this call came to `result`, which is no refusal.
  default void applied(UnaryCall<Q> call, ApplyResult result) {
    throw new IllegalStateException("proposes nothing");
  }

  /// What the store holds now may be answered from.
  default void readable(UnaryCall<Q> call) {
    throw new IllegalStateException("does not read");
  }
}
