package dev.etcdj.mvcc.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.mvcc.StorageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// The contract on the twin, and the faults only it can show.
final class MemoryBackendTest extends BackendContractTest {
  @Override
  Backend open(BackendOptions options) {
    return new MemoryBackend(options);
  }

  @Override
  Backend reopen(BackendOptions options) {
    return ((MemoryBackend) backend).crash(options, null);
  }

  @Override
  Backend crashAndReopen(BackendOptions options) {
    return ((MemoryBackend) backend).crash(options, null);
  }

  /// Both a commit that had not happened and one that had are found, but never less than promised.
  @Test
  void aCrashMayOrMayNotLoseABatchInFlight() {
    Set<String> outcomes = new HashSet<>();
    for (long seed = 0; seed < 40; seed++) {
      MemoryBackend crashing = new MemoryBackend(options().withCadence(2, INTERVAL_NANOS));
      backend = crashing;
      put(Bucket.META, "last", "1");
      commitNow();
      put(Bucket.META, "last", "2");
      put(Bucket.META, "last", "3");
      put(Bucket.META, "last", "4");
      backend = crashing.crash(options(), new Random(seed));
      outcomes.add(get(Bucket.META, "last"));
    }
    assertEquals(Set.of("1", "3", "4"), outcomes);
  }

  @Test
  void aStalledDiskHoldsCommitsBackAndRefusesToWaitOnOneThread() {
    MemoryBackend stalled = new MemoryBackend(options().withCadence(1, INTERVAL_NANOS));
    backend = stalled;
    stalled.stall(true);
    put(Bucket.META, "a", "1");
    put(Bucket.META, "b", "1");
    assertFalse(backend.doWork());
    assertFalse(backend.hasRoom());
    assertThrows(IllegalStateException.class, () -> put(Bucket.META, "c", "1"));
    assertNull(get(Bucket.META, "c"));
    stalled.stall(false);
    put(Bucket.META, "d", "1");
    commitNow();
    assertEquals("1", get(Bucket.META, "d"));
  }

  @Test
  void aFullDiskKeepsWhatWasPublishedAndTriesAgain() {
    MemoryBackend full = new MemoryBackend(options());
    backend = full;
    put(Bucket.META, "a", "1");
    commitNow();
    full.capacityBytes(10);
    put(Bucket.META, "b", "2");
    CompletableFuture<Void> done = backend.commit();
    assertTrue(backend.doWork());
    assertTrue(backend.isFull());
    assertFalse(done.isDone());
    assertEquals(1, backend.durablePosition());
    assertEquals("2", get(Bucket.META, "b"));
    assertFalse(backend.doWork(), "not before the pause is over");
    full.capacityBytes(Long.MAX_VALUE);
    clock.addAndGet(backend.nanosUntilDue());
    assertTrue(backend.doWork());
    assertTrue(done.isDone());
    assertFalse(backend.isFull());
    assertEquals(2, backend.durablePosition());
  }

  @Test
  void aFailedCommitEndsItAllButNotReading() {
    List<StorageException> told = new ArrayList<>();
    MemoryBackend failing = new MemoryBackend(options().withListeners(position -> {}, told::add));
    backend = failing;
    put(Bucket.META, "a", "1");
    CompletableFuture<Void> done = backend.commit();
    failing.failNextCommit();
    assertTrue(backend.doWork());
    assertFalse(backend.doWork());
    assertEquals(1, told.size());
    CompletionException seen = assertThrows(CompletionException.class, done::join);
    assertSame(told.getFirst(), seen.getCause());
    assertTrue(backend.commit().isCompletedExceptionally());
    assertThrows(StorageException.class, () -> put(Bucket.META, "b", "1"));
    assertEquals("1", get(Bucket.META, "a"));
    assertEquals(0, backend.durablePosition());
    assertEquals(Long.MAX_VALUE, backend.nanosUntilDue());
  }
}
