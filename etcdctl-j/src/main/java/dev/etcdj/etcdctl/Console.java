package dev.etcdj.etcdctl;

import com.google.protobuf.ByteString;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// What surrounds a command: its streams and its environment. Output is buffered until `flush`.
public final class Console {
  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;

  /// Over these streams.
  public Console(
      InputStream in, OutputStream out, OutputStream err, Map<String, String> environment) {
    this.in = in;
    this.out = new PrintStream(new BufferedOutputStream(out), false, StandardCharsets.UTF_8);
    this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    this.environment = Map.copyOf(environment);
  }

  /// Environment variables by name.
  public Map<String, String> environment() {
    return environment;
  }

  /// Standard input.
  public InputStream in() {
    return in;
  }

  /// Prints text.
  public void print(String text) {
    out.print(text);
  }

  /// Prints a line.
  public void line(String text) {
    out.print(text);
    out.print('\n');
  }

  /// Prints bytes as they are.
  public void bytes(ByteString bytes) {
    try {
      bytes.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Prints a line on standard error, behind everything printed so far.
  public void errorLine(String text) {
    flush();
    err.print(text);
    err.print('\n');
    err.flush();
  }

  /// Hands on what has been printed.
  public void flush() {
    out.flush();
  }
}
