package dev.etcdj.etcdctl;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Lines of an input, read no further than asked. A last line without its end does not count.
public final class LineReader {
  private final InputStream in;

  /// Over `in`, which should be buffered.
  public LineReader(InputStream in) {
    this.in = in;
  }

  /// The next line without its end; null: there is none.
  ///
  /// @throws Failure when it cannot be read
  public @Nullable String next() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      for (int b = in.read(); b >= 0; b = in.read()) {
        if (b == '\n') {
          return line.toString(StandardCharsets.UTF_8);
        }
        line.write(b);
      }
      return null;
    } catch (IOException e) {
      throw new Failure(Failure.INVALID_INPUT, String.valueOf(e.getMessage()));
    }
  }
}
