package dev.etcdj.server.peer;

import dev.etcdj.server.http.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Opens connections to peer URLs. Host names are looked up off the event loops, because a slow
/// name server would otherwise stop heartbeats to everybody.
final class Dialer {
  private final EventLoops loops;
  private final int timeoutMillis;

  /// @param timeoutMillis bound on connecting (LIM-45)
  Dialer(EventLoops loops, int timeoutMillis) {
    this.loops = loops;
    this.timeoutMillis = timeoutMillis;
  }

  /// A loop for a new connection and its timers.
  EventLoop nextLoop() {
    return loops.group().next();
  }

  /// Connects to the authority of `url` on `loop`.
  ///
  /// @param setUp adds the handlers; called on the loop before anything is read
  /// @return the connection, or why there is none
  CompletableFuture<Channel> dial(URI url, EventLoop loop, Consumer<Channel> setUp) {
    if (!"http".equals(url.getScheme()) || url.getHost() == null) {
      return CompletableFuture.failedFuture(
          new UnsupportedOperationException("cannot dial " + url + ": only http is supported"));
    }
    String host = url.getHost().replace("[", "").replace("]", "");
    int port = url.getPort() < 0 ? 80 : url.getPort();
    CompletableFuture<Channel> result = new CompletableFuture<>();
    try {
      connect(new InetSocketAddress(InetAddress.ofLiteral(host), port), loop, setUp, result);
    } catch (IllegalArgumentException notAnAddress) {
      Thread.ofVirtual().name("peer-resolve").start(() -> resolve(host, port, loop, setUp, result));
    }
    return result;
  }

  private void resolve(
      String host,
      int port,
      EventLoop loop,
      Consumer<Channel> setUp,
      CompletableFuture<Channel> result) {
    try {
      connect(new InetSocketAddress(InetAddress.getByName(host), port), loop, setUp, result);
    } catch (UnknownHostException | RuntimeException failure) {
      result.completeExceptionally(failure);
    }
  }

  private void connect(
      InetSocketAddress address,
      EventLoop loop,
      Consumer<Channel> setUp,
      CompletableFuture<Channel> result) {
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(loops.socketType())
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    setUp.accept(channel);
                  }
                })
            .connect(address);
    connecting.addListener(
        done -> {
          if (done.isSuccess()) {
            result.complete(connecting.channel());
          } else {
            result.completeExceptionally(done.cause());
          }
        });
  }
}
