package dev.etcdj.server.rpc;

import com.google.protobuf.MessageLite;
import dev.etcdj.proto.status.RpcError;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import java.util.function.BiFunction;

/// Puts a gRPC service together from its methods. Methods that are not added answer UNIMPLEMENTED.
final class ServiceBuilder {
  private final String service;
  private final Gate gate;
  private final ServerServiceDefinition.Builder builder;

  ServiceBuilder(String service, Gate gate) {
    this.service = service;
    this.gate = gate;
    this.builder = ServerServiceDefinition.builder(service);
  }

  <Q extends MessageLite> ServiceBuilder unary(
      String method, Q example, Gate.OnLearner onLearner, UnaryMethod<Q> handler) {
    var descriptor = Methods.of(MethodType.UNARY, service, method, example);
    ServerCallHandler<Incoming<Q>, WireMessage> calls =
        (call, metadata) -> {
          RpcError refusal = gate.refusal(metadata, onLearner);
          if (refusal != null) {
            return refuse(call, refusal);
          }
          // Two, so that a second message is seen and refused.
          call.request(2);
          return new UnaryCall<>(handler, call);
        };
    builder.addMethod(descriptor, calls);
    return this;
  }

  <Q extends MessageLite> ServiceBuilder stream(
      MethodType type,
      String method,
      Q example,
      BiFunction<ServerCall<Incoming<Q>, WireMessage>, Metadata, ServerCall.Listener<Incoming<Q>>>
          handler) {
    var descriptor = Methods.of(type, service, method, example);
    ServerCallHandler<Incoming<Q>, WireMessage> calls =
        (call, metadata) -> {
          RpcError refusal = gate.refusal(metadata, Gate.OnLearner.REFUSED);
          return refusal != null ? refuse(call, refusal) : handler.apply(call, metadata);
        };
    builder.addMethod(descriptor, calls);
    return this;
  }

  private static <Q extends MessageLite> ServerCall.Listener<Incoming<Q>> refuse(
      ServerCall<Incoming<Q>, WireMessage> call, RpcError why) {
    call.close(Statuses.of(why), new Metadata());
    return new ServerCall.Listener<>() {};
  }

  ServerServiceDefinition build() {
    return builder.build();
  }
}
