package dev.etcdj.client;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/// A gRPC server on a loopback socket whose services misbehave as a test wants.
public final class FaultyServer implements AutoCloseable {
  private final Server server;
  private final int port;

  private FaultyServer(Server server) {
    this.server = server;
    this.port = server.getPort();
  }

  /// Serves on `port`; 0: any.
  public static FaultyServer start(int port, BindableService... services) {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    for (BindableService service : services) {
      builder.addService(service);
    }
    try {
      return new FaultyServer(builder.build().start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return port;
  }

  public String endpoint() {
    return "127.0.0.1:" + port();
  }

  /// Cuts every connection.
  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
