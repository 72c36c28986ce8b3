package dev.etcdj.mvcc.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The contract on disk.
@NullUnmarked
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

  @Test
  void publishWaitsWhileTwoBatchesAreFull() throws InterruptedException {
    backend.close();
    backend = open(options().withCadence(1, INTERVAL_NANOS));
    put(Bucket.META, "a", "1");
    put(Bucket.META, "b", "2");
    Thread publisher = Thread.ofPlatform().start(() -> put(Bucket.META, "c", "3"));
    while (publisher.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertNull(get(Bucket.META, "c"));
    assertTrue(backend.doWork());
    publisher.join();
    assertEquals("3", get(Bucket.META, "c"));
    assertEquals(1, backend.durablePosition());
  }

  @Test
  void moreViewsAreOpenThanThePoolKeeps() {
    put(Bucket.META, "a", "1");
    commitNow();
    List<ReadView> views = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      views.add(backend.read());
    }
    put(Bucket.META, "a", "2");
    commitNow();
    for (ReadView view : views) {
      assertEquals("1", get(view, Bucket.META, "a"));
      view.close();
    }
    assertEquals("2", get(Bucket.META, "a"));
  }

  /// A reader in the pool must not keep the pages of its old snapshot: the file would grow with
  /// every commit.
  @Test
  void overwritingDoesNotMakeTheFileGrowForEver() {
    ReadView one = backend.read();
    ReadView other = backend.read();
    one.close();
    other.close();
    long settled = 0;
    for (int round = 0; round < 200; round++) {
      WriteUnit unit = backend.begin();
      for (int i = 0; i < 50; i++) {
        unit.put(Bucket.LEASE, bytes("lease" + i), new byte[1000]);
      }
      unit.publish();
      commitNow();
      assertNotNull(get(Bucket.LEASE, "lease7"));
      settled = round == 20 ? backend.sizeBytes() : settled;
    }
    assertEquals(settled, backend.sizeBytes());
  }

  /// Readers tell by the state's number which batches a snapshot holds, so each commit must raise
  /// it by one, also one that changes nothing.
  @Test
  void everyCommitRaisesTheStateByOne() {
    backend.close();
    LmdbEngine engine = LmdbEngine.open(directory, LmdbOptions.DEFAULT);
    long id = engine.extent().id();
    Batch nothing = new Batch();
    Batch noEffect = new Batch();
    noEffect.apply(Bucket.LEASE, bytes("absent"), null);
    Batch something = new Batch();
    something.apply(Bucket.KEY, bytes("k"), bytes("v"));
    Engine.Disk before = engine.read(id, id);
    assertNotNull(before);
    for (Batch batch : List.of(nothing, noEffect, something, noEffect)) {
      assertInstanceOf(Engine.Committed.class, engine.commit(batch.view(1)));
      id++;
      assertEquals(id, engine.extent().id());
      assertNull(engine.read(id - 1, id - 1), "only the newest is to be had");
      Engine.Disk newest = engine.read(id, id);
      assertNotNull(newest);
      newest.release();
    }
    assertNull(before.get(Bucket.KEY, bytes("k")));
    before.release();
    engine.close();
    backend = reopen(options());
  }
}
