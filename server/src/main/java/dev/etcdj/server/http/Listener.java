package dev.etcdj.server.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.function.Consumer;

/// One listening socket and the connections it has accepted.
public final class Listener implements AutoCloseable {
  private final Channel socket;
  private final ChannelGroup accepted;

  private Listener(Channel socket, ChannelGroup accepted) {
    this.socket = socket;
    this.accepted = accepted;
  }

  /// Listens on the host and port of `url`.
  ///
  /// @param setUp adds a connection's handlers behind the one given
  /// @throws IOException when the address cannot be listened on, naming it
  public static Listener open(EventLoops loops, URI url, Consumer<ChannelHandlerContext> setUp)
      throws IOException {
    InetSocketAddress address = addressOf(url);
    ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.listenerType())
            .option(ChannelOption.SO_BACKLOG, 1024)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accepted.add(channel);
                    Anchor anchor = new Anchor();
                    channel.pipeline().addLast(anchor);
                    setUp.accept(channel.pipeline().context(anchor));
                    channel.pipeline().remove(anchor);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + url + ": " + bound.cause().getMessage(), bound.cause());
    }
    return new Listener(bound.channel(), accepted);
  }

  /// The address to bind for a listen URL.
  ///
  /// @throws IOException when the host is not known here
  public static InetSocketAddress addressOf(URI url) throws IOException {
    String host = url.getHost();
    if (host == null || url.getPort() < 0) {
      throw new IOException("cannot listen on " + url + ": it has no host or port");
    }
    InetSocketAddress address =
        new InetSocketAddress(host.replace("[", "").replace("]", ""), url.getPort());
    if (address.isUnresolved()) {
      throw new IOException("cannot listen on " + url + ": host is not known");
    }
    return address;
  }

  /// Where it listens.
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.localAddress();
  }

  /// Stops listening and closes the connections.
  @Override
  public void close() {
    socket.close().awaitUninterruptibly();
    accepted.close().awaitUninterruptibly();
  }

  /// Marks a place in a pipeline.
  private static final class Anchor extends ChannelInboundHandlerAdapter {}
}
