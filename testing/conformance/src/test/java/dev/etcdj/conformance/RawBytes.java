package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// Methods called by name with bytes that need be no message.
final class RawBytes {
  private RawBytes() {}

  private static final MethodDescriptor.Marshaller<ByteString> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(ByteString value) {
          return value.newInput();
        }

        @Override
        public ByteString parse(InputStream stream) {
          try {
            return ByteString.readFrom(stream);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  /// @param path such as `/etcdserverpb.KV/Range`
  static MethodDescriptor<ByteString, ByteString> method(String path) {
    return MethodDescriptor.newBuilder(BYTES, BYTES)
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(path.substring(1))
        .build();
  }

  /// The answer as the method's message, or as mere bytes if we know no such method.
  static Message parse(String path, ByteString answer) {
    for (Verb verb : Verb.values()) {
      if (verb.method().getFullMethodName().equals(path.substring(1))) {
        try {
          return verb.response().getParserForType().parseFrom(answer);
        } catch (InvalidProtocolBufferException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return BytesValue.of(answer);
  }
}
