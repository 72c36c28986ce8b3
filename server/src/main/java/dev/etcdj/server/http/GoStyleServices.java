package dev.etcdj.server.http;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Makes a gRPC server answer as a Go one where clients can tell the difference before any
/// service is reached: unknown services and methods, requests that do not parse, requests that
/// are too long (errors.tsv, grpc-runtime).
final class GoStyleServices {
  private GoStyleServices() {}

  /// The same service with requests read as Go reads them.
  ///
  /// @param maxBytes of one request message
  static ServerServiceDefinition wrap(ServerServiceDefinition service, int maxBytes) {
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName())
            .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
    List<? extends ServerMethodDefinition<?, ?>> methods =
        service.getMethods().stream().map(method -> wrap(method, maxBytes)).toList();
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder wrapped = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(wrapped::addMethod);
    return wrapped.build();
  }

  private static <Q, R> ServerMethodDefinition<Q, R> wrap(
      ServerMethodDefinition<Q, R> method, int maxBytes) {
    MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
    String unparsable =
        descriptor.getType() == MethodDescriptor.MethodType.UNARY
            ? "grpc: error unmarshalling request: proto: cannot parse invalid wire-format data"
            : "grpc: failed to unmarshal the received message: proto: cannot parse invalid"
                + " wire-format data";
    MethodDescriptor.Marshaller<Q> requests =
        new RequestMarshaller<>(descriptor.getRequestMarshaller(), maxBytes, unparsable);
    return ServerMethodDefinition.create(
        descriptor.toBuilder(requests, descriptor.getResponseMarshaller()).build(),
        method.getServerCallHandler());
  }

  private record RequestMarshaller<Q>(
      MethodDescriptor.Marshaller<Q> wire, int maxBytes, String unparsable)
      implements MethodDescriptor.Marshaller<Q> {
    @Override
    public InputStream stream(Q value) {
      return wire.stream(value);
    }

    @Override
    public Q parse(InputStream stream) {
      int length = lengthOf(stream);
      if (length > maxBytes) {
        throw Status.RESOURCE_EXHAUSTED
            .withDescription(
                "grpc: received message larger than max (" + length + " vs. " + maxBytes + ")")
            .asRuntimeException();
      }
      try {
        return wire.parse(stream);
      } catch (RuntimeException malformed) {
        throw Status.INTERNAL.withDescription(unparsable).asRuntimeException();
      }
    }

    private static int lengthOf(InputStream stream) {
      try {
        return stream.available();
      } catch (IOException unreadable) {
        return 0;
      }
    }
  }

  /// Answers what no service is registered for.
  static HandlerRegistry fallback(List<ServerServiceDefinition> services) {
    Set<String> known = new HashSet<>();
    services.forEach(service -> known.add(service.getServiceDescriptor().getName()));
    return new HandlerRegistry() {
      @Override
      public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
        int slash = name.lastIndexOf('/');
        String text;
        if (slash < 0) {
          text = "malformed method name: \"/" + name + "\"";
        } else if (known.contains(name.substring(0, slash))) {
          text =
              "unknown method " + name.substring(slash + 1) + " for service "
                  + name.substring(0, slash);
        } else {
          text = "unknown service " + name.substring(0, slash);
        }
        return unimplemented(name, text);
      }
    };
  }

  private static ServerMethodDefinition<byte[], byte[]> unimplemented(String name, String text) {
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.newBuilder(Ignored.INSTANCE, Ignored.INSTANCE)
            .setType(MethodDescriptor.MethodType.UNKNOWN)
            .setFullMethodName(name)
            .build();
    return ServerMethodDefinition.create(
        method,
        (call, headers) -> {
          call.close(Status.UNIMPLEMENTED.withDescription(text), new Metadata());
          return new ServerCall.Listener<>() {};
        });
  }

  private enum Ignored implements MethodDescriptor.Marshaller<byte[]> {
    INSTANCE;

    @Override
    public InputStream stream(byte[] value) {
      return InputStream.nullInputStream();
    }

    @Override
    public byte[] parse(InputStream stream) {
      return new byte[0];
    }
  }
}
