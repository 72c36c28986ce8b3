package dev.etcdj.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The scripts that were written by hand, one file per area.
final class HandPicked {
  static final List<String> FILES =
      List.of("put", "range", "delete", "txn", "compact", "watch", "lease", "errors");

  private HandPicked() {}

  static List<Program> file(String name) {
    String file = name + ".txt";
    try (InputStream text = HandPicked.class.getResourceAsStream(file)) {
      if (text == null) {
        throw new IllegalStateException("no script " + file);
      }
      return Script.read(file, new String(text.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Program> all() {
    List<Program> all = new ArrayList<>();
    FILES.forEach(name -> all.addAll(file(name)));
    return all;
  }
}
