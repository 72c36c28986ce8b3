package dev.etcdj.client.transport;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

/// The threads of all clients of this JVM: at most two daemon threads, `etcd-client-…`, however
/// many clients there are. They live as long as the JVM, so that opening a client starts none.
/// Everything a client does runs on them, callbacks of its futures included.
final class EventLoops {
  private static final int MAX_THREADS = 2;

  private EventLoops() {}

  /// The shared group, made on first use.
  static EventLoopGroup shared() {
    return Holder.GROUP;
  }

  private static final class Holder {
    static final EventLoopGroup GROUP =
        new MultiThreadIoEventLoopGroup(
            Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()),
            new DefaultThreadFactory("etcd-client", true),
            NioIoHandler.newFactory());
  }
}
