package dev.etcdj.conformance;

import dev.etcdj.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Real etcd, as a process.
final class EtcdServer extends Target {
  private static final String VERSION = "3.7.1";

  private static final Set<EtcdServer> RUNNING = ConcurrentHashMap.newKeySet();
  private static final LongAdder CPU_NANOS_OF_ENDED = new LongAdder();

  static {
    // A test run that is killed takes them along.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(s -> s.process.destroyForcibly())));
  }

  private final Process process;

  private EtcdServer(Process process, Path folder, int clientPort) {
    super("etcd", folder, clientPort);
    this.process = process;
  }

  static EtcdServer start(Path binary) throws IOException {
    Path folder = newFolder("etcd");
    int clientPort = FreePorts.next();
    List<String> command = new ArrayList<>();
    command.add(binary.toString());
    command.addAll(flags(folder.resolve("data"), clientPort, FreePorts.next()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    // It is asked one thing at a time, so more threads would only look for work; and its heap is
    // so small that it would be collected all the time.
    builder.environment().putIfAbsent("GOMAXPROCS", "1");
    builder.environment().putIfAbsent("GOGC", "1600");
    Process process = builder.start();
    EtcdServer server = new EtcdServer(process, folder, clientPort);
    RUNNING.add(server);
    return server;
  }

  /// The binary: the one named by the system property `oracle.etcd`, else what
  /// `testing/oracle/build` has left in its cache folder.
  static Optional<Path> binary() {
    String named = System.getProperty("oracle.etcd");
    if (named != null && !named.isEmpty()) {
      return Optional.of(Path.of(named));
    }
    String cache = System.getenv("XDG_CACHE_HOME");
    Path base =
        cache == null || cache.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(cache);
    Path built = base.resolve("etcd-j/oracle-" + VERSION + "/etcd");
    return Files.isExecutable(built) ? Optional.of(built) : Optional.empty();
  }

  /// CPU time that all servers of this kind have taken, up to now.
  static long cpuNanos() {
    return CPU_NANOS_OF_ENDED.sum() + RUNNING.stream().mapToLong(EtcdServer::ownCpuNanos).sum();
  }

  private long ownCpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  @Override
  void stop() throws InterruptedException {
    if (RUNNING.remove(this)) {
      CPU_NANOS_OF_ENDED.add(ownCpuNanos());
    }
    process.destroyForcibly();
    process.waitFor();
  }
}
