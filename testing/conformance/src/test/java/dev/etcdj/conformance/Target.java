package dev.etcdj.conformance;

import dev.etcdj.server.http.EventLoops;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A running server of one member, and a connection to it. Its data lie in a RAM file system where
/// there is one.
abstract class Target implements AutoCloseable {
  private static final Path RAM = Path.of("/dev/shm");
  private static final int MAX_MESSAGE = Integer.MAX_VALUE;
  private static final int FOREVER_DAYS = 365;

  /// One thread for all connections: the more are busy, the more answers each wake-up finds.
  private static final EventLoops LOOPS = new EventLoops("conformance", 1);

  private final String name;
  private final ManagedChannel channel;
  private final Path folder;

  Target(String name, Path folder, int clientPort) {
    this.name = name;
    this.folder = folder;
    this.channel =
        NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", clientPort))
            .usePlaintext()
            .eventLoopGroup(LOOPS.group())
            .channelType(LOOPS.socketType())
            .executor(loop())
            .disableRetry()
            .idleTimeout(FOREVER_DAYS, TimeUnit.DAYS)
            .maxInboundMessageSize(MAX_MESSAGE)
            .maxInboundMetadataSize(1 << 20)
            .build();
  }

  String name() {
    return name;
  }

  /// Its answers arrive on [#loop()].
  ManagedChannel channel() {
    return channel;
  }

  /// Where programs are played.
  static EventLoop loop() {
    return LOOPS.group().next();
  }

  static Path newFolder(String name) throws IOException {
    return Files.isWritable(RAM)
        ? Files.createTempDirectory(RAM, "conformance-" + name)
        : Files.createTempDirectory("conformance-" + name);
  }

  /// The command line that both servers understand.
  static List<String> flags(Path folder, int clientPort, int peerPort) {
    String client = "http://127.0.0.1:" + clientPort;
    String peer = "http://127.0.0.1:" + peerPort;
    return List.of(
        "--name=m",
        "--data-dir=" + folder,
        "--listen-client-urls=" + client,
        "--advertise-client-urls=" + client,
        "--listen-peer-urls=" + peer,
        "--initial-advertise-peer-urls=" + peer,
        "--initial-cluster=m=" + peer,
        "--log-level=error");
  }

  abstract void stop() throws Exception;

  @Override
  public final void close() throws Exception {
    channel.shutdownNow();
    if (!channel.awaitTermination(5, TimeUnit.SECONDS)) {
      System.err.println("the connection to " + name + " does not close");
    }
    stop();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
