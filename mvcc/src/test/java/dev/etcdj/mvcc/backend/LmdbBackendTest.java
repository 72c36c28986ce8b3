package dev.etcdj.mvcc.backend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/// The contract on disk.
final class LmdbBackendTest extends BackendContractTest {
  @TempDir Path root;
  private Path directory;
  private int directories;

  @Override
  Backend open(BackendOptions options) {
    try {
      directory = Files.createDirectory(root.resolve("snap" + ++directories));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return LmdbBackend.open(directory, LmdbOptions.DEFAULT, options);
  }

  @Override
  Backend reopen(BackendOptions options) {
    return LmdbBackend.open(directory, LmdbOptions.DEFAULT, options);
  }

  @Override
  Backend crashAndReopen(BackendOptions options) {
    ((LmdbBackend) backend).abandon();
    return reopen(options);
  }
}
