package dev.etcdj.mvcc.backend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.etcdj.mvcc.schema.RevisionKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A full map or disk is an answer, never a crash or a loss (design §5).
final class LmdbFullTest {
  private static final int VALUE_BYTES = 60_000;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong();
  private long revision;

  private LmdbBackend open(Path where, long mapBytes) {
    BackendOptions options =
        BackendOptions.of(clock::get, () -> {})
            .withListeners(
                position -> {},
                failure -> {
                  throw failure;
                });
    return LmdbBackend.open(where, new LmdbOptions(mapBytes, 16), options);
  }

  private CompletableFuture<Void> put(Backend backend) {
    WriteUnit unit = backend.begin();
    unit.put(Bucket.KEY, RevisionKey.encode(++revision, 0, false), new byte[VALUE_BYTES]);
    unit.publish();
    return commit(backend);
  }

  private CompletableFuture<Void> commit(Backend backend) {
    CompletableFuture<Void> done = backend.commit();
    clock.addAndGet(1_000_000_000L);
    backend.doWork();
    return done;
  }

  private void checkAllReadable(Backend backend) {
    try (ReadView view = backend.read()) {
      for (long i = 1; i <= revision; i++) {
        assertNotNull(view.get(Bucket.KEY, RevisionKey.encode(i, 0, false)), "revision " + i);
      }
    }
  }

  @Test
  void clientsAreToldBeforeTheMapIsFullAndDeletingHelps() {
    try (LmdbBackend backend = open(directory, 8 << 20)) {
      while (!backend.isFull()) {
        assertTrue(put(backend).isDone());
      }
      for (long i = 1; i <= revision; i++) {
        WriteUnit unit = backend.begin();
        unit.delete(Bucket.KEY, RevisionKey.encode(i, 0, false));
        unit.publish();
        assertTrue(commit(backend).isDone());
      }
      assertFalse(backend.isFull());
      assertTrue(put(backend).isDone());
    }
  }

  @Test
  void whatAFullMapHoldsBackStaysReadableAndIsNotAcknowledged() {
    long promised;
    try (LmdbBackend backend = open(directory, 4 << 20)) {
      while (put(backend).isDone()) {}
      assertTrue(backend.isFull());
      promised = backend.durablePosition();
      assertEquals(revision - 1, promised);
      checkAllReadable(backend);
    }
    try (LmdbBackend backend = open(directory, 64 << 20)) {
      revision = promised;
      checkAllReadable(backend);
      assertFalse(backend.isFull());
      assertTrue(put(backend).isDone());
    }
  }

  @Test
  void aFullDiskHoldsCommitsBackUntilThereIsRoom() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount.toString()),
        "no right to mount a small disk");
    try {
      Path ballast = mount.resolve("ballast");
      Files.write(ballast, new byte[3 << 20]);
      try (LmdbBackend backend = open(mount, 64 << 20)) {
        CompletableFuture<Void> held = put(backend);
        while (held.isDone()) {
          held = put(backend);
        }
        assertTrue(backend.isFull());
        put(backend);
        checkAllReadable(backend);
        assertEquals(revision - 2, backend.durablePosition());

        Files.delete(ballast);
        commit(backend);
        assertTrue(held.isDone());
        commit(backend).join();
        assertFalse(backend.isFull());
        assertEquals(revision, backend.durablePosition());
      }
      try (LmdbBackend backend = open(mount, 64 << 20);
          ReadView view = backend.read()) {
        assertArrayEquals(
            new byte[VALUE_BYTES], view.get(Bucket.KEY, RevisionKey.encode(revision, 0, false)));
      }
    } finally {
      assertTrue(run("umount", mount.toString()));
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
