package dev.etcdj.server.http;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The port clients use: gRPC and HTTP/1.1 on the same sockets, told apart by their first bytes.
/// Services run on the event loops and must not block there.
public final class ClientPort implements AutoCloseable {
  /// What every HTTP answer of the client port carries, as long as all origins are allowed.
  public static final List<String> CORS_HEADERS =
      List.of(
          "Access-Control-Allow-Methods",
          "POST, GET, OPTIONS, PUT, DELETE",
          "Access-Control-Allow-Origin",
          "*",
          "Access-Control-Allow-Headers",
          "accept, content-type, authorization");

  private static final int GRPC_OVERHEAD_BYTES = 512 << 10;
  // gRPC's own bound stands this far above ours, so that a request that is a little too long is
  // refused with the text clients know; beyond it the library's text has to do.
  private static final int REFUSED_BYTES = 8 << 20;
  private static final int MAX_METADATA_BYTES = 1 << 20;

  private final Server server;
  private final ChannelGroup httpConnections;

  private ClientPort(Server server, ChannelGroup httpConnections) {
    this.server = server;
    this.httpConnections = httpConnections;
  }

  /// Limits of the port; times in nanoseconds, 0 for never where that makes sense.
  ///
  /// @param maxRequestBytes of one proposal (LIM-1); messages may be 512 KiB longer (LIM-2)
  /// @param keepAliveMinNanos shortest interval of a client's pings (LIM-5)
  /// @param keepAliveNanos interval of the server's pings, 0 for none (LIM-6)
  /// @param keepAliveTimeoutNanos how long one may stay unanswered
  /// @param headerNanos how long a connection may take to say what it speaks (LIM-12)
  public record Limits(
      int maxRequestBytes,
      int maxConcurrentStreams,
      long keepAliveMinNanos,
      long keepAliveNanos,
      long keepAliveTimeoutNanos,
      long headerNanos) {
    /// etcd's defaults for a given request size.
    public static Limits withDefaults(int maxRequestBytes) {
      return new Limits(
          maxRequestBytes,
          Integer.MAX_VALUE,
          TimeUnit.SECONDS.toNanos(5),
          TimeUnit.HOURS.toNanos(2),
          TimeUnit.SECONDS.toNanos(20),
          TimeUnit.MINUTES.toNanos(5));
    }
  }

  /// Begins to serve on all URLs.
  ///
  /// @param tracer counts calls, or null
  /// @throws IOException when an address cannot be listened on, naming it
  public static ClientPort open(
      EventLoops loops,
      List<URI> urls,
      List<ServerServiceDefinition> services,
      Router router,
      Limits limits,
      ServerStreamTracer.@Nullable Factory tracer)
      throws IOException {
    ChannelGroup httpConnections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    Site site = new Site(router, CORS_HEADERS, true, limits.headerNanos);
    var negotiator = new PortNegotiator(site, httpConnections, limits.headerNanos);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(
                Listener.addressOf(urls.getFirst()),
                InternalNettyServerCredentials.create(negotiator))
            .bossEventLoopGroup(loops.group())
            .workerEventLoopGroup(loops.group())
            .channelType(loops.listenerType())
            .withOption(ChannelOption.SO_BACKLOG, 4096)
            .withOption(ChannelOption.SO_REUSEADDR, true)
            .withChildOption(ChannelOption.ALLOCATOR, MessageBuffers.INSTANCE)
            .withChildOption(ChannelOption.TCP_NODELAY, true)
            .withChildOption(ChannelOption.SO_KEEPALIVE, true)
            .directExecutor()
            // Counts from accept to the HTTP/2 preface, which an HTTP/1 connection never sends;
            // the negotiator has its own.
            .handshakeTimeout(Long.MAX_VALUE, TimeUnit.MILLISECONDS)
            .maxInboundMessageSize(limits.maxRequestBytes + GRPC_OVERHEAD_BYTES + REFUSED_BYTES)
            .maxInboundMetadataSize(MAX_METADATA_BYTES)
            .maxConcurrentCallsPerConnection(limits.maxConcurrentStreams)
            .permitKeepAliveTime(limits.keepAliveMinNanos, TimeUnit.NANOSECONDS)
            .permitKeepAliveWithoutCalls(false)
            .fallbackHandlerRegistry(GoStyleServices.fallback(services));
    for (URI url : urls.subList(1, urls.size())) {
      builder.addListenAddress(Listener.addressOf(url));
    }
    if (limits.keepAliveNanos > 0) {
      builder
          .keepAliveTime(limits.keepAliveNanos, TimeUnit.NANOSECONDS)
          .keepAliveTimeout(limits.keepAliveTimeoutNanos, TimeUnit.NANOSECONDS);
    }
    for (ServerServiceDefinition service : services) {
      builder.addService(
          GoStyleServices.wrap(service, limits.maxRequestBytes + GRPC_OVERHEAD_BYTES));
    }
    if (tracer != null) {
      builder.addStreamTracerFactory(tracer);
    }
    try {
      return new ClientPort(builder.build().start(), httpConnections);
    } catch (IOException failure) {
      Throwable cause = failure.getCause() != null ? failure.getCause() : failure;
      throw new IOException("cannot listen on " + urls + ": " + cause.getMessage(), failure);
    }
  }

  /// Where it listens, with real ports.
  public List<InetSocketAddress> addresses() {
    return server.getListenSockets().stream().map(InetSocketAddress.class::cast).toList();
  }

  /// Accepts nothing new and ends the calls that are running after `graceNanos`. Blocks so long
  /// at most.
  public void shutdown(long graceNanos) {
    server.shutdown();
    try {
      server.awaitTermination(graceNanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    close();
  }

  /// Ends everything at once.
  @Override
  public void close() {
    server.shutdownNow();
    httpConnections.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
