package dev.etcdj.server.main;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.etcdj.wal.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// A process that was told to end does so (seed 20774 of the simulation showed a member whose close
/// fails).
class MainTest {
  @Test
  void anOrderlyEndHasTheSignalsStatus() {
    assertEquals(143, Main.close(() -> {}, 143));
  }

  @Test
  void aDiskThatFailsWhileClosingDoesNotKeepTheProcess() {
    IOException why = new IOException("Input/output error");
    assertEquals(
        1,
        Main.close(
            () -> {
              throw new StorageException(Path.of("0.wal"), 352, "cannot be synced", why);
            },
            143));
  }
}
