package dev.etcdj.client.transport;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The connections to a cluster: one per endpoint, calls spread over those that are up.
///
/// A call waits for a connection as long as its deadline allows. gRPC lets its pauses between
/// connection attempts grow to two minutes, too long for a member that restarts in a second: while
/// no endpoint is connected the pause is cut to [#RECONNECT_MILLIS].
/// Thread: safe. Callbacks run on the shared event loops and must not block.
public final class Transport implements AutoCloseable {
  private static final long RECONNECT_MILLIS = 250;
  private static final String API_VERSION = "3.7.1";

  /// How connections are made.
  ///
  /// @param connectTimeout for one attempt
  /// @param tls null: plain text unless an endpoint asks for TLS
  public record Options(
      Duration connectTimeout,
      Pings pings,
      Limits limits,
      @Nullable TlsOptions tls,
      TokenSource tokens) {}

  private final Options options;
  private final ManagedChannel channel;
  private final Channel intercepted;

  private Transport(Options options, ManagedChannel channel) {
    this.options = options;
    this.channel = channel;
    this.intercepted = ClientInterceptors.intercept(channel, new Credentials(options.tokens()));
    keepConnecting();
  }

  /// Prepares connections; none is made before the first call.
  ///
  /// @throws IllegalArgumentException for a malformed endpoint
  /// @throws UncheckedIOException when a TLS file cannot be read
  public static Transport open(List<String> endpoints, Options options) {
    List<Endpoint> parsed = endpoints.stream().map(Endpoint::parse).toList();
    NettyChannelBuilder builder = builder(parsed, options);
    builder
        .eventLoopGroup(EventLoops.shared())
        .channelType(NioSocketChannel.class)
        .directExecutor()
        .withOption(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            Math.toIntExact(options.connectTimeout.toMillis()))
        .keepAliveTime(options.pings.interval().toMillis(), TimeUnit.MILLISECONDS)
        .keepAliveTimeout(options.pings.timeout().toMillis(), TimeUnit.MILLISECONDS)
        .maxInboundMessageSize(options.limits.responseBytes())
        .disableServiceConfigLookUp();
    if (parsed.size() > 1) {
      builder.defaultLoadBalancingPolicy("round_robin");
    }
    return new Transport(options, builder.build());
  }

  private static NettyChannelBuilder builder(List<Endpoint> endpoints, Options options) {
    String target = EndpointResolver.target(endpoints);
    boolean asked = endpoints.stream().anyMatch(e -> e.tls() == Endpoint.Tls.ON);
    boolean plain = endpoints.stream().anyMatch(e -> e.tls() == Endpoint.Tls.OFF);
    TlsOptions tls = options.tls;
    if (tls == null && asked) {
      tls = TlsOptions.SYSTEM;
    }
    if (tls == null || (plain && !asked)) {
      return NettyChannelBuilder.forTarget(target).usePlaintext();
    }
    try {
      return NettyChannelBuilder.forTarget(target, tls.credentials());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Connections with the same options to one endpoint alone; the caller closes them.
  public Transport to(String endpoint) {
    return open(List.of(endpoint), options);
  }

  /// Sends calls with these settings over the connections.
  public Calls calls(CallSettings settings) {
    return new Calls(this, settings);
  }

  /// One of the shared threads: a place for state that must have a single owner.
  public EventLoop eventLoop() {
    return EventLoops.shared().next();
  }

  /// Whether the connections were closed for good.
  public boolean closed() {
    return channel.isShutdown();
  }

  Limits limits() {
    return options.limits;
  }

  Channel channel() {
    return intercepted;
  }

  /// Lets the next attempt start now, without the pause that failures have earned.
  void reconnectNow() {
    channel.resetConnectBackoff();
  }

  private void keepConnecting() {
    ConnectivityState state = channel.getState(false);
    if (state == ConnectivityState.SHUTDOWN) {
      return;
    }
    if (state == ConnectivityState.TRANSIENT_FAILURE) {
      EventLoops.shared()
          .schedule(
              () -> {
                channel.resetConnectBackoff();
                keepConnecting();
              },
              RECONNECT_MILLIS,
              TimeUnit.MILLISECONDS);
    } else {
      channel.notifyWhenStateChanged(state, this::keepConnecting);
    }
  }

  /// Cuts the connections; calls in flight end with CANCELED or UNAVAILABLE. Does not wait.
  @Override
  public void close() {
    channel.shutdownNow();
  }

  /// Adds what every request carries.
  private record Credentials(TokenSource tokens) implements ClientInterceptor {
    private static final Metadata.Key<String> TOKEN =
        Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> VERSION =
        Metadata.Key.of("client-api-version", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HAS_LEADER =
        Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions callOptions, Channel next) {
      return new ForwardingClientCall.SimpleForwardingClientCall<>(
          next.newCall(method, callOptions)) {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          headers.put(VERSION, API_VERSION);
          if (callOptions.getOption(Calls.REQUIRE_LEADER)) {
            headers.put(HAS_LEADER, "true");
          }
          String token = tokens.token();
          if (token != null) {
            headers.put(TOKEN, token);
          }
          super.start(listener, headers);
        }
      };
    }
  }
}
