package dev.etcdj.server.metrics;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// Counts calls by method and outcome (grpc_server_*). One tracer per method serves all its calls,
/// so counting allocates nothing; only timing them, when asked for, takes one per call.
public final class GrpcMetrics extends ServerStreamTracer.Factory {
  private static final Metadata.Key<String> CLIENT_API_VERSION =
      Metadata.Key.of("client-api-version", Metadata.ASCII_STRING_MARSHALLER);
  private static final String[] CODES = {
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated"
  };
  private static final double[] HANDLING = {
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  };

  private final NetworkMetrics network;
  private final boolean extensive;
  private final LongSupplier nanoClock;
  private final Vec<Counter> started;
  private final Vec<Counter> handled;
  private final Vec<Counter> received;
  private final Vec<Counter> sent;
  private final Vec<Counter> requests;
  private final Vec<Histogram> handling;
  private final Map<String, PerMethod> methods = new HashMap<>();
  private final ServerStreamTracer unknownMethod = new Bytes();

  GrpcMetrics(
      Registry registry, NetworkMetrics network, boolean extensive, LongSupplier nanoClock) {
    this.network = network;
    this.extensive = extensive;
    this.nanoClock = nanoClock;
    String[] labels = {"grpc_method", "grpc_service", "grpc_type"};
    started =
        registry.counters(
            "grpc_server_started_total", "Total number of RPCs started on the server.", labels);
    handled =
        registry.counters(
            "grpc_server_handled_total",
            "Total number of RPCs completed on the server, regardless of success or failure.",
            "grpc_code",
            "grpc_method",
            "grpc_service",
            "grpc_type");
    received =
        registry.counters(
            "grpc_server_msg_received_total",
            "Total number of RPC stream messages received on the server.",
            labels);
    sent =
        registry.counters(
            "grpc_server_msg_sent_total",
            "Total number of gRPC stream messages sent by the server.",
            labels);
    requests =
        registry.counters(
            "etcd_server_client_requests_total",
            "The total number of client requests per client version.",
            "client_api_version",
            "type");
    handling =
        registry.histograms(
            "grpc_server_handling_seconds",
            "Histogram of response latency (seconds) of gRPC that had been application-level"
                + " handled by the server.",
            Histogram.SECONDS,
            HANDLING,
            labels);
  }

  /// Makes the series of all methods, at zero. Once, before the port opens.
  public void serve(List<ServerServiceDefinition> services) {
    for (ServerServiceDefinition service : services) {
      service
          .getMethods()
          .forEach(
              method -> {
                MethodDescriptor<?, ?> descriptor = method.getMethodDescriptor();
                methods.put(descriptor.getFullMethodName(), new PerMethod(descriptor));
              });
    }
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
    PerMethod method = methods.get(fullMethodName);
    if (method == null) {
      return unknownMethod;
    }
    method.started.increment();
    String version = headers.get(CLIENT_API_VERSION);
    requests.with(version == null ? "unknown" : version, method.streamed).increment();
    return extensive ? new Timed(method, nanoClock.getAsLong(), nanoClock) : method;
  }

  /// Counts messages that went along with one that was traced.
  ///
  /// @param bytes of these messages
  public void sentAlong(String fullMethodName, int messages, long bytes) {
    PerMethod method = methods.get(fullMethodName);
    if (method != null) {
      method.sent.add(messages);
    }
    network.clientSentBytes.add(bytes);
  }

  private static String typeOf(MethodDescriptor<?, ?> method) {
    return switch (method.getType()) {
      case UNARY -> "unary";
      case CLIENT_STREAMING -> "client_stream";
      case SERVER_STREAMING -> "server_stream";
      case BIDI_STREAMING, UNKNOWN -> "bidi_stream";
    };
  }

  /// Counts bytes alone.
  private class Bytes extends ServerStreamTracer {
    @Override
    public void inboundWireSize(long bytes) {
      network.clientReceivedBytes.add(bytes);
    }

    @Override
    public void outboundWireSize(long bytes) {
      network.clientSentBytes.add(bytes);
    }
  }

  /// Counts all calls of one method.
  private final class PerMethod extends Bytes {
    private final String streamed;
    private final Counter started;
    private final Counter received;
    private final Counter sent;
    private final Counter[] handled = new Counter[CODES.length];
    private final Histogram handling;

    PerMethod(MethodDescriptor<?, ?> method) {
      String service = String.valueOf(method.getServiceName());
      String name = String.valueOf(method.getBareMethodName());
      String type = typeOf(method);
      this.streamed = type.equals("unary") ? "unary" : "stream";
      this.started = GrpcMetrics.this.started.with(name, service, type);
      this.received = GrpcMetrics.this.received.with(name, service, type);
      this.sent = GrpcMetrics.this.sent.with(name, service, type);
      for (int code = 0; code < CODES.length; code++) {
        handled[code] = GrpcMetrics.this.handled.with(CODES[code], name, service, type);
      }
      this.handling =
          extensive
              ? GrpcMetrics.this.handling.with(name, service, type)
              : new Histogram(Histogram.SECONDS, HANDLING);
    }

    @Override
    public void inboundMessage(int sequence) {
      received.increment();
    }

    @Override
    public void outboundMessage(int sequence) {
      sent.increment();
    }

    @Override
    public void streamClosed(Status status) {
      handled[status.getCode().value()].increment();
    }
  }

  /// One call that is timed.
  private static final class Timed extends ServerStreamTracer {
    private final PerMethod method;
    private final long began;
    private final LongSupplier nanoClock;

    Timed(PerMethod method, long began, LongSupplier nanoClock) {
      this.method = method;
      this.began = began;
      this.nanoClock = nanoClock;
    }

    @Override
    public void inboundWireSize(long bytes) {
      method.inboundWireSize(bytes);
    }

    @Override
    public void outboundWireSize(long bytes) {
      method.outboundWireSize(bytes);
    }

    @Override
    public void inboundMessage(int sequence) {
      method.inboundMessage(sequence);
    }

    @Override
    public void outboundMessage(int sequence) {
      method.outboundMessage(sequence);
    }

    @Override
    public void streamClosed(Status status) {
      method.streamClosed(status);
      method.handling.observe(nanoClock.getAsLong() - began);
    }
  }
}
