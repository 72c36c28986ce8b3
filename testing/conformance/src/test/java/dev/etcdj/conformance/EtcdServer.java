package dev.etcdj.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Real etcd, as a process.
final class EtcdServer extends Target {
  private static final String VERSION = "3.7.1";

  private final Process process;

  private EtcdServer(Process process, Path folder, int clientPort) {
    super("etcd", folder, clientPort);
    this.process = process;
  }

  static EtcdServer start(Path binary) throws IOException {
    Path folder = newFolder("etcd");
    int clientPort = freePort();
    List<String> command = new ArrayList<>();
    command.add(binary.toString());
    command.addAll(flags(folder.resolve("data"), clientPort, freePort()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    // A test run that is killed takes it along.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return new EtcdServer(process, folder, clientPort);
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

  @Override
  void stop() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }
}
