package dev.etcdj.robustness;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One member as an operating system process.
final class MemberProcess implements AutoCloseable {
  /// What LMDB and Netty need opened, as `bin/etcd-j` passes it.
  private static final List<String> JVM_ACCESS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

  private final Path log;
  private final List<String> command;
  private final String clientUrl;
  private @Nullable Process process;

  /// @param prefix put before the JVM's command line, such as a tracer; mostly empty
  MemberProcess(Path log, String clientUrl, List<String> prefix, List<String> arguments) {
    this.log = log;
    this.clientUrl = clientUrl;
    this.command = new ArrayList<>(prefix);
    command.addAll(javaCommand());
    command.addAll(arguments);
  }

  /// The JVM with the member's class path and main class.
  static List<String> javaCommand() {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    java.addAll(JVM_ACCESS);
    java.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-ea"));
    java.addAll(List.of("-cp", System.getProperty("java.class.path")));
    java.add("dev.etcdj.server.main.Main");
    return java;
  }

  void start() throws IOException {
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
  }

  /// Waits until the member says that it is healthy.
  void awaitHealthy(Duration limit) throws Exception {
    long end = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() < end) {
      if (!running()) {
        throw new AssertionError("the member ended; " + tail());
      }
      if (healthy()) {
        return;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("the member is not healthy after " + limit + "; " + tail());
  }

  boolean healthy() throws InterruptedException {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(clientUrl + "/health"))
              .timeout(Duration.ofSeconds(8))
              .build();
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  boolean running() {
    return process != null && process.isAlive();
  }

  long pid() {
    return current().pid();
  }

  /// SIGKILL, and waits until the process is gone.
  void kill() throws InterruptedException {
    current().descendants().forEach(ProcessHandle::destroyForcibly);
    current().destroyForcibly();
    current().waitFor();
  }

  /// SIGTERM, and waits.
  ///
  /// @return exit status
  int terminate() throws Exception {
    // A tracer in front does not pass the signal on; the member is its child then.
    current().descendants().findFirst().ifPresentOrElse(ProcessHandle::destroy, current()::destroy);
    if (!current().waitFor(30, TimeUnit.SECONDS)) {
      kill();
      throw new AssertionError("the member did not end on SIGTERM; " + tail());
    }
    return current().exitValue();
  }

  String logText() throws IOException {
    return Files.exists(log) ? Files.readString(log) : "";
  }

  private String tail() throws IOException {
    String text = logText();
    return "end of its log:\n" + text.substring(Math.max(0, text.length() - 4000));
  }

  private Process current() {
    if (process == null) {
      throw new IllegalStateException("not started");
    }
    return process;
  }

  @Override
  public void close() throws InterruptedException {
    if (running()) {
      kill();
    }
  }
}
