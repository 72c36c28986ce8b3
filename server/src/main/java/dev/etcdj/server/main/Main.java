package dev.etcdj.server.main;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.etcdj.server.Member;
import dev.etcdj.server.Version;
import dev.etcdj.server.config.ConfigException;
import dev.etcdj.server.config.ConfigLoader;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.durable.StartException;
import dev.etcdj.server.logging.Markers;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/// Runs a member as a process. Exit status: 0 after printing what was asked for, 2 for a command
/// line that cannot be parsed, 1 for settings or data that cannot be used and for a member that
/// failed or could not be closed; after a signal, the signal's own (0 for the first process of a
/// container).
public final class Main {
  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(Main.class);

  private Main() {}

  public static void main(String[] arguments) {
    ServerConfig config;
    try {
      switch (new ConfigLoader(System.getenv(), Version.text()).load(arguments)) {
        case ConfigLoader.Request.Print(String text) -> {
          System.out.print(text);
          return;
        }
        case ConfigLoader.Request.Run(ServerConfig given) -> config = given;
      }
    } catch (ConfigException e) {
      refuse(e);
      return;
    }
    setLevel(config.logLevel());
    System.exit(run(config, List.of(arguments)));
  }

  /// The grammar's refusals are for a person at a terminal; a check's are a log line like any
  /// other.
  private static void refuse(ConfigException e) {
    if (e.exitCode() == 2) {
      System.err.println(e.getMessage());
      System.err.println("Usage: etcd-j [flags]; see etcd-j --help.");
    } else {
      LOG.atError()
          .addMarker(Markers.FATAL)
          .addKeyValue("error", e.getMessage())
          .log("failed to verify flags");
    }
    System.exit(e.exitCode());
  }

  private static int run(ServerConfig config, List<String> arguments) {
    CountDownLatch failed = new CountDownLatch(1);
    Member member;
    try {
      LOG.atInfo().addKeyValue("args", arguments).log("Running: ");
      member = Member.start(config, _ -> failed.countDown());
    } catch (StartException e) {
      LOG.atError()
          .addMarker(Markers.FATAL)
          .addKeyValue("error", e.getMessage())
          .log("failed to start etcd");
      return 1;
    }
    Signals.onTerminate((name, number) -> stop(member, name, number));
    awaitUninterruptibly(failed);
    return 1;
  }

  private static void stop(Member member, String signal, int number) {
    LOG.atInfo().addKeyValue("signal", signal).log("received signal; shutting down");
    int status = Signals.exitStatus(ProcessHandle.current().pid(), number);
    Runtime.getRuntime().halt(close(member::close, status));
  }

  /// Ends what runs. A disk that fails now must not keep the process: nothing runs in it any more,
  /// and what was acknowledged is durable already (`MainTest`).
  ///
  /// @return `status`, or 1 when closing failed
  static int close(Runnable closing, int status) {
    try {
      closing.run();
      return status;
    } catch (RuntimeException | Error failure) {
      LOG.atError().addMarker(Markers.FATAL).setCause(failure).log("failed to close etcd server");
      return 1;
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignored) {
        // Nothing interrupts the main thread on purpose.
      }
    }
  }

  static void setLevel(String level) {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(
        switch (level) {
          case "debug" -> Level.DEBUG;
          case "info" -> Level.INFO;
          case "warn" -> Level.WARN;
          default -> Level.ERROR;
        });
  }
}
