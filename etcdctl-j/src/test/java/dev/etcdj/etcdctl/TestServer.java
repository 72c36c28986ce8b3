package dev.etcdj.etcdctl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/// A server process of one member with an empty data directory.
///
/// The program is the system property `etcdj.test.server`, else `oracle.etcd`: a program that takes
/// etcd's flags, with arguments of its own if need be. Without either, tests that want it are
/// skipped and say so.
final class TestServer implements AutoCloseable {
  private final Process process;
  private final Path folder;
  private final int clientPort;

  private TestServer(Process process, Path folder, int clientPort) {
    this.process = process;
    this.folder = folder;
    this.clientPort = clientPort;
  }

  /// Starts one and waits until it answers.
  static TestServer start() {
    String program = System.getProperty("etcdj.test.server", System.getProperty("oracle.etcd", ""));
    Assumptions.assumeFalse(
        program.isBlank(), "no server: set -Detcdj.test.server=… or -Doracle.etcd=…");
    try {
      Path folder = Files.createTempDirectory("etcdctl-j-golden");
      // Member and cluster id follow from the peer URL, and both stand in recorded answers.
      int clientPort = Integer.getInteger("etcdj.test.clientPort", 23748);
      String client = "http://127.0.0.1:" + clientPort;
      String peer = "http://127.0.0.1:" + Integer.getInteger("etcdj.test.peerPort", 23749);
      List<String> command = new ArrayList<>(List.of(program.split(" ")));
      command.addAll(
          List.of(
              "--name=n1",
              "--data-dir=" + folder.resolve("data"),
              "--listen-client-urls=" + client,
              "--advertise-client-urls=" + client,
              "--listen-peer-urls=" + peer,
              "--initial-advertise-peer-urls=" + peer,
              "--initial-cluster=n1=" + peer));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      TestServer server = new TestServer(process, folder, clientPort);
      server.awaitAnswer();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitAnswer() throws IOException {
    for (int tries = 0; tries < 300; tries++) {
      if (!process.isAlive()) {
        throw new IllegalStateException(
            "server ended: " + Files.readString(folder.resolve("log")).strip());
      }
      try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), clientPort)) {
        return;
      } catch (IOException e) {
        pause();
      }
    }
    throw new IllegalStateException("no answer after 30 s");
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// `host:port` of its client side.
  String endpoint() {
    return "127.0.0.1:" + clientPort;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
