package dev.etcdj.conformance;

import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.ClusterGrpc;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.LeaseGrpc;
import dev.etcdj.proto.etcdserverpb.MaintenanceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.Locale;
import java.util.Objects;

/// A call that takes one message, by the word that names it in a script.
enum Verb {
  RANGE(KVGrpc.getRangeMethod(), true),
  RANGE_STREAM(KVGrpc.getRangeStreamMethod(), true),
  PUT(KVGrpc.getPutMethod(), false),
  DELETE(KVGrpc.getDeleteRangeMethod(), false),
  TXN(KVGrpc.getTxnMethod(), false),
  COMPACT(KVGrpc.getCompactMethod(), false),
  GRANT(LeaseGrpc.getLeaseGrantMethod(), false),
  REVOKE(LeaseGrpc.getLeaseRevokeMethod(), false),
  TTL(LeaseGrpc.getLeaseTimeToLiveMethod(), true),
  LEASES(LeaseGrpc.getLeaseLeasesMethod(), true),
  MEMBER_LIST(ClusterGrpc.getMemberListMethod(), true),
  STATUS(MaintenanceGrpc.getStatusMethod(), true),
  HASH_KV(MaintenanceGrpc.getHashKVMethod(), false),
  ALARM(MaintenanceGrpc.getAlarmMethod(), false);

  private final MethodDescriptor<Message, Message> method;
  private final boolean readOnly;

  @SuppressWarnings("unchecked")
  Verb(MethodDescriptor<?, ?> method, boolean readOnly) {
    this.method = (MethodDescriptor<Message, Message>) method;
    this.readOnly = readOnly;
  }

  MethodDescriptor<Message, Message> method() {
    return method;
  }

  /// Whether neighbours of this kind are asked at once, which changes no answer. Hashes are not:
  /// we refuse many at a time.
  boolean readOnly() {
    return readOnly;
  }

  boolean streaming() {
    return method.getType() == MethodDescriptor.MethodType.SERVER_STREAMING;
  }

  /// An empty request.
  Message request() {
    return prototype(method.getRequestMarshaller());
  }

  /// An empty answer.
  Message response() {
    return prototype(method.getResponseMarshaller());
  }

  private static Message prototype(MethodDescriptor.Marshaller<Message> marshaller) {
    return Objects.requireNonNull(
        ((PrototypeMarshaller<Message>) marshaller).getMessagePrototype());
  }

  /// The word in scripts.
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
