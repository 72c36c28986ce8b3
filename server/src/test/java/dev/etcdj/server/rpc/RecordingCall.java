package dev.etcdj.server.rpc;

import dev.etcdj.proto.etcdserverpb.RangeRequest;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.util.List;

/// A call on a connection of its own port that keeps what it is given to send.
final class RecordingCall extends ServerCall<Incoming<RangeRequest>, WireMessage> {
  private final Attributes attributes;
  private final List<WireMessage> sent;

  RecordingCall(int port, List<WireMessage> sent) {
    this.sent = sent;
    attributes =
        Attributes.newBuilder()
            .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, InetSocketAddress.createUnresolved("c", port))
            .build();
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public void request(int messages) {}

  @Override
  public void sendHeaders(Metadata headers) {}

  @Override
  public void sendMessage(WireMessage message) {
    sent.add(message);
  }

  @Override
  public void close(Status status, Metadata trailers) {}

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public MethodDescriptor<Incoming<RangeRequest>, WireMessage> getMethodDescriptor() {
    return Methods.of(
        MethodDescriptor.MethodType.UNARY, "s", "m", RangeRequest.getDefaultInstance());
  }
}
