package dev.etcdj.server.http;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/// A fixed number of event loops with the channel types that fit them: native epoll where it
/// works, NIO elsewhere. Nothing that runs on them may block.
public final class EventLoops implements AutoCloseable {
  private final EventLoopGroup group;
  private final boolean epoll;

  /// @param name prefix of the threads' names
  public EventLoops(String name, int threads) {
    this.epoll = Epoll.isAvailable();
    this.group =
        new MultiThreadIoEventLoopGroup(
            threads,
            new DefaultThreadFactory(name, true),
            epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  /// The loops themselves.
  public EventLoopGroup group() {
    return group;
  }

  /// Type of a connection on these loops.
  public Class<? extends SocketChannel> socketType() {
    return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /// Type of a listener on these loops.
  public Class<? extends ServerSocketChannel> listenerType() {
    return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /// Ends all loops, closing what is still open on them. Waits at most five seconds.
  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}
