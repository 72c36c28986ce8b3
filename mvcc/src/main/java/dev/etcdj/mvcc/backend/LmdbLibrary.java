package dev.etcdj.mvcc.backend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.lmdbjava.Meta;

/// Loads LMDB. The library unpacks it to a file that it removes at an orderly exit only, so each
/// kill would leave one behind; here the file goes as soon as it is loaded.
final class LmdbLibrary {
  private static final String FOLDER = "lmdbjava.extract.dir";

  static {
    if (System.getProperty(FOLDER) == null) {
      try {
        loadFrom(Files.createTempDirectory("etcdj-lmdb-"));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot unpack LMDB", e);
      }
    }
  }

  private LmdbLibrary() {}

  /// Once, however often it is called.
  static void load() {}

  private static void loadFrom(Path folder) throws IOException {
    System.setProperty(FOLDER, folder.toString());
    try {
      Meta.version();
    } finally {
      System.clearProperty(FOLDER);
      try (Stream<Path> unpacked = Files.list(folder)) {
        for (Path file : unpacked.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }
}
