package dev.etcdj.testkit;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for servers that a test starts as processes.
public final class FreePorts {
  private static final int ATTEMPTS = 100;

  private FreePorts() {}

  /// A port that nobody listens on, below those that the system gives to outgoing connections: one
  /// of them could take it before the server does.
  ///
  /// @throws BindException when none was found
  public static int next() throws IOException {
    for (int attempt = 0; ; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_768);
      try (ServerSocket socket = new ServerSocket(port)) {
        return socket.getLocalPort();
      } catch (BindException taken) {
        if (attempt == ATTEMPTS) {
          throw taken;
        }
      }
    }
  }
}
