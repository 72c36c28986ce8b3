package dev.etcdj.server.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// Method descriptors with marshallers of our own: requests keep their bytes, responses write
/// themselves.
final class Methods {
  /// Deep enough for the deepest transaction that the operation limit allows.
  private static final int MAX_DEPTH = 1_000;

  private Methods() {}

  /// @param example of the request's type, for its parser
  static <Q extends MessageLite> MethodDescriptor<Incoming<Q>, WireMessage> of(
      MethodType type, String service, String method, Q example) {
    @SuppressWarnings("unchecked") // a message's parser parses its own type
    Parser<Q> parser = (Parser<Q>) example.getParserForType();
    return MethodDescriptor.<Incoming<Q>, WireMessage>newBuilder(new Requests<>(parser), RESPONSES)
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(service, method))
        .setSampledToLocalTracing(false)
        .build();
  }

  private static final MethodDescriptor.Marshaller<WireMessage> RESPONSES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(WireMessage value) {
          return new WireStream(value);
        }

        @Override
        public WireMessage parse(InputStream stream) {
          throw new UnsupportedOperationException("a server parses no responses");
        }
      };

  private record Requests<Q extends MessageLite>(Parser<Q> parser)
      implements MethodDescriptor.Marshaller<Incoming<Q>> {
    @Override
    public InputStream stream(Incoming<Q> value) {
      throw new UnsupportedOperationException("a server sends no requests");
    }

    @Override
    public Incoming<Q> parse(InputStream stream) {
      byte[] bytes = readAll(stream);
      CodedInputStream in = CodedInputStream.newInstance(bytes);
      in.enableAliasing(true);
      in.setRecursionLimit(MAX_DEPTH);
      try {
        Q message = parser.parseFrom(in);
        in.checkLastTagWas(0);
        return new Incoming<>(message, bytes, null);
      } catch (InvalidProtocolBufferException e) {
        return new Incoming<>(null, bytes, String.valueOf(e.getMessage()));
      }
    }
  }

  private static byte[] readAll(InputStream stream) {
    try {
      if (!(stream instanceof KnownLength)) {
        return stream.readAllBytes();
      }
      byte[] bytes = new byte[stream.available()];
      int read = stream.readNBytes(bytes, 0, bytes.length);
      if (read != bytes.length) {
        throw new IOException("message ends after " + read + " of " + bytes.length + " bytes");
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
