package dev.etcdj.server;

import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.rpc.Services;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The client ports.
final class ClientListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientListener.class);

  private final ServerConfig config;
  private final Services services;
  private final List<Server> servers = new ArrayList<>();

  ClientListener(ServerConfig config, Services services) {
    this.config = config;
    this.services = services;
  }

  /// @throws StartException when an address is taken
  void requireFree() throws StartException {
    for (URI url : config.listenClientUrls()) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(address(url));
      } catch (IOException e) {
        throw new StartException(
            "listen tcp %s:%d: bind: address already in use".formatted(url.getHost(), url.getPort()), e);
      }
    }
  }

  synchronized void listen() throws IOException {
    for (URI url : config.listenClientUrls()) {
      Server server =
          NettyServerBuilder.forAddress(address(url))
              .directExecutor()
              .maxInboundMessageSize(config.maxRequestBytes() + (512 << 10))
              .addServices(services.definitions())
              .build()
              .start();
      servers.add(server);
      LOG.atInfo()
          .addKeyValue("address", url.getHost() + ":" + url.getPort())
          .log("ready to serve client requests");
    }
  }

  private static InetSocketAddress address(URI url) {
    return new InetSocketAddress(url.getHost(), url.getPort());
  }

  @Override
  public synchronized void close() {
    servers.forEach(Server::shutdownNow);
  }
}
