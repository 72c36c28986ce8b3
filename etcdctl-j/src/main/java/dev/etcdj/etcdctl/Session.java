package dev.etcdj.etcdctl;

import dev.etcdj.client.Client;
import dev.etcdj.client.ClientConfig;
import dev.etcdj.client.transport.Limits;
import dev.etcdj.client.transport.Pings;
import dev.etcdj.client.transport.TlsOptions;
import dev.etcdj.client.transport.TokenSource;
import dev.etcdj.etcdctl.output.Printer;
import dev.etcdj.proto.status.EtcdException;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// One run of a command: the console, the global flags, and a client that is opened when the
/// command first wants it. Environment and global flags are looked at only then, so a command's
/// complaint about its own arguments comes first.
public final class Session implements AutoCloseable {
  private final Console console;
  private final Arguments arguments;
  private @Nullable GlobalFlags globals;
  private @Nullable Client client;
  private @Nullable Printer printer;

  /// For a command with these arguments.
  public Session(Console console, Arguments arguments) {
    this.console = console;
    this.arguments = arguments;
  }

  /// Streams and environment.
  public Console console() {
    return console;
  }

  /// The global flags in force.
  public GlobalFlags globals() {
    GlobalFlags known = globals;
    if (known == null) {
      known = GlobalFlags.resolve(arguments, console);
      globals = known;
      if (known.arguments().is("debug")) {
        known.dump().forEach(console::errorLine);
      }
      printer = Printer.of(console, known.arguments());
    }
    return known;
  }

  /// How to print answers.
  public Printer printer() {
    globals();
    if (printer == null) {
      throw new IllegalStateException("globals() sets the printer");
    }
    return printer;
  }

  /// Endpoints as given.
  public List<String> endpoints() {
    return globals().arguments().list("endpoints");
  }

  /// The client of all endpoints; opened on the first call.
  public Client client() {
    Client open = client;
    if (open == null) {
      open = open(endpoints());
      client = open;
    }
    return open;
  }

  /// A client of these endpoints with the global flags' settings; the caller closes it.
  public Client open(List<String> endpoints) {
    if (endpoints.stream().allMatch(String::isBlank)) {
      throw new Failure(Failure.BAD_CONNECTION, "etcdclient: no available endpoints");
    }
    try {
      return Client.open(config(endpoints));
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_CONNECTION, String.valueOf(e.getMessage()));
    }
  }

  private ClientConfig config(List<String> endpoints) {
    GlobalFlags flags = globals();
    Arguments values = flags.arguments();
    long requestBytes = values.number("max-request-bytes");
    long responseBytes = values.number("max-recv-bytes");
    return ClientConfig.to(endpoints)
        .withConnectTimeout(flags.duration("dial-timeout"))
        .withCallTimeout(flags.duration("command-timeout"))
        .withPings(new Pings(flags.duration("keepalive-time"), flags.duration("keepalive-timeout")))
        .withLimits(
            new Limits(
                requestBytes == 0 ? Limits.DEFAULT.requestBytes() : Math.toIntExact(requestBytes),
                responseBytes == 0
                    ? Limits.DEFAULT.responseBytes()
                    : Math.toIntExact(responseBytes)))
        .withTls(tls(values))
        .withTokens(tokens(values));
  }

  private static TokenSource tokens(Arguments values) {
    String token = values.text("auth-jwt-token");
    return token.isEmpty() ? TokenSource.NONE : () -> token;
  }

  private static @Nullable TlsOptions tls(Arguments values) {
    File caFile = file(values, "cacert");
    File certFile = file(values, "cert");
    File keyFile = file(values, "key");
    boolean skipVerify = values.is("insecure-skip-tls-verify");
    if (caFile == null
        && certFile == null
        && keyFile == null
        && !skipVerify
        && values.is("insecure-transport")) {
      return null;
    }
    return new TlsOptions(caFile, certFile, keyFile, skipVerify);
  }

  private static @Nullable File file(Arguments values, String name) {
    if (!values.has(name)) {
      return null;
    }
    String path = values.text(name);
    if (path.isEmpty()) {
      throw new Failure(Failure.BAD_ARGS, "empty string is passed to --" + name + " option");
    }
    File file = new File(path);
    if (!file.exists()) {
      throw new Failure(Failure.BAD_ARGS, "open " + path + ": no such file or directory");
    }
    if (!file.canRead()) {
      throw new Failure(Failure.BAD_ARGS, "open " + path + ": permission denied");
    }
    return file;
  }

  /// Waits for an answer.
  ///
  /// @throws Failure with exit 1 and the server's text
  public <T> T await(CompletableFuture<T> answer) {
    try {
      return get(answer);
    } catch (EtcdException e) {
      throw new Failure(Failure.ERROR, ErrorText.of(e));
    }
  }

  /// Waits for an answer, for commands that say more about a failure.
  ///
  /// @throws EtcdException as the client has it
  public static <T> T get(CompletableFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof EtcdException refused) {
        throw refused;
      }
      if (e.getCause() instanceof RuntimeException bug) {
        throw bug;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Failure(Failure.INTERRUPTED, "interrupted");
    }
  }

  /// Time a short command may take.
  public Duration commandTimeout() {
    return globals().duration("command-timeout");
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
    console.flush();
  }
}
