package dev.etcdj.mvcc.backend.lmdb;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// Finds LMDB's shared library: the file named by system property `etcdj.lmdb.library`, else the
/// one shipped for this platform, unpacked for the moment of loading.
final class NativeLibrary {
  private static final String OVERRIDE = "etcdj.lmdb.library";

  private NativeLibrary() {}

  static SymbolLookup load() {
    String override = System.getProperty(OVERRIDE);
    if (override != null) {
      return SymbolLookup.libraryLookup(Path.of(override), Arena.global());
    }
    String resource = "org/lmdbjava/native/" + resourceName();
    ClassLoader loader = NativeLibrary.class.getClassLoader();
    try (InputStream in = loader.getResourceAsStream(resource)) {
      if (in == null) {
        throw new UnsatisfiedLinkError(
            resource + " is not on the class path; -D" + OVERRIDE + " may name another library");
      }
      Path file = Files.createTempFile("etcdj-lmdb-", ".so");
      try {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        return SymbolLookup.libraryLookup(file, Arena.global());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + resource, e);
    }
  }

  private static String resourceName() {
    String machine = System.getProperty("os.arch", "");
    String arch =
        switch (machine) {
          case "amd64", "x86_64" -> "x86_64";
          case "aarch64", "arm64" -> "aarch64";
          default -> machine;
        };
    String system = System.getProperty("os.name", "");
    if (system.startsWith("Mac")) {
      return arch + "-macos-none.so";
    }
    boolean musl = Files.exists(Path.of("/lib/ld-musl-" + arch + ".so.1"));
    return arch + "-linux-" + (musl ? "musl" : "gnu") + ".so";
  }
}
