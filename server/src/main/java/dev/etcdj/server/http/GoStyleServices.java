package dev.etcdj.server.http;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
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

  private static <Q, R> ServerMethodDefinition<Object, R> wrap(
      ServerMethodDefinition<Q, R> method, int maxBytes) {
    MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
    String unparsable =
        descriptor.getType() == MethodDescriptor.MethodType.UNARY
            ? "grpc: error unmarshalling request: proto: cannot parse invalid wire-format data"
            : "grpc: failed to unmarshal the received message: proto: cannot parse invalid"
                + " wire-format data";
    MethodDescriptor.Marshaller<Object> requests =
        new RequestMarshaller<>(descriptor.getRequestMarshaller(), maxBytes, unparsable);
    ServerCallHandler<Q, R> handler = method.getServerCallHandler();
    return ServerMethodDefinition.create(
        descriptor.toBuilder(requests, descriptor.getResponseMarshaller()).build(),
        (call, headers) ->
            new RequestListener<>(call, handler.startCall(RequestListener.typed(call), headers)));
  }

  /// Stands in for a request that could not be read. A marshaller must not throw: gRPC would
  /// answer UNKNOWN with a text of its own.
  private record Unreadable(Status status) {}

  private record RequestMarshaller<Q>(
      MethodDescriptor.Marshaller<Q> wire, int maxBytes, String unparsable)
      implements MethodDescriptor.Marshaller<Object> {
    @Override
    public InputStream stream(Object value) {
      throw new UnsupportedOperationException("a server sends no requests");
    }

    @Override
    public Object parse(InputStream stream) {
      int length = lengthOf(stream);
      if (length > maxBytes) {
        return new Unreadable(
            Status.RESOURCE_EXHAUSTED.withDescription(
                "grpc: received message larger than max (" + length + " vs. " + maxBytes + ")"));
      }
      try {
        return wire.parse(stream);
      } catch (RuntimeException malformed) {
        return new Unreadable(Status.INTERNAL.withDescription(unparsable));
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

  /// Hands readable requests on and ends the call at an unreadable one; to the service that looks
  /// like a client that has canceled.
  private static final class RequestListener<Q, R> extends ServerCall.Listener<Object> {
    private final ServerCall<Object, R> call;
    private final ServerCall.Listener<Q> service;
    private boolean refused;

    RequestListener(ServerCall<Object, R> call, ServerCall.Listener<Q> service) {
      this.call = call;
      this.service = service;
    }

    /// The call as its service sees it: requests are what the service's own marshaller has read.
    @SuppressWarnings("unchecked")
    static <Q, R> ServerCall<Q, R> typed(ServerCall<Object, R> call) {
      return (ServerCall<Q, R>) call;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void onMessage(Object message) {
      if (message instanceof Unreadable unreadable) {
        refused = true;
        call.close(unreadable.status, new Metadata());
      } else if (!refused) {
        service.onMessage((Q) message);
      }
    }

    @Override
    public void onHalfClose() {
      if (!refused) {
        service.onHalfClose();
      }
    }

    @Override
    public void onReady() {
      if (!refused) {
        service.onReady();
      }
    }

    @Override
    public void onCancel() {
      service.onCancel();
    }

    @Override
    public void onComplete() {
      if (refused) {
        service.onCancel();
      } else {
        service.onComplete();
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
              "unknown method "
                  + name.substring(slash + 1)
                  + " for service "
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
