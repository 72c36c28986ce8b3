package dev.etcdj.mvcc.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What every [Backend] promises (design §3.8, §4, §5; LIM-22), run against the one on disk and its
/// in-memory twin. Time is a number the test sets; the expectation of the property test is a
/// [TreeMap] per bucket. Replay its seeds by their number.
@NullUnmarked
abstract class BackendContractTest {
  static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  final AtomicLong clock = new AtomicLong();
  final AtomicInteger wakes = new AtomicInteger();
  final List<Long> durable = new ArrayList<>();
  Backend backend;

  abstract Backend open(BackendOptions options);

  /// Ends the backend as a crash would, and opens what is left.
  abstract Backend crashAndReopen(BackendOptions options);

  BackendOptions options() {
    return BackendOptions.of(clock::get, wakes::incrementAndGet)
        .withListeners(
            durable::add,
            failure -> {
              throw failure;
            });
  }

  @BeforeEach
  void openBackend() {
    backend = open(options());
  }

  @AfterEach
  void closeBackend() {
    backend.close();
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  long put(Bucket bucket, String key, String value) {
    WriteUnit unit = backend.begin();
    unit.put(bucket, bytes(key), bytes(value));
    return unit.publish();
  }

  long delete(Bucket bucket, String key) {
    WriteUnit unit = backend.begin();
    unit.delete(bucket, bytes(key));
    return unit.publish();
  }

  static String get(ReadView view, Bucket bucket, String key) {
    byte[] value = view.get(bucket, bytes(key));
    return value == null ? null : new String(value, UTF_8);
  }

  String get(Bucket bucket, String key) {
    try (ReadView view = backend.read()) {
      return get(view, bucket, key);
    }
  }

  static String scan(ReadView view, Bucket bucket, String from, String to) {
    StringBuilder found = new StringBuilder();
    view.scan(
        bucket,
        bytes(from),
        to == null ? null : bytes(to),
        (key, value) -> {
          found.append(new String(key, UTF_8)).append('=');
          found.append(new String(value, UTF_8)).append(' ');
          return true;
        });
    return found.toString().strip();
  }

  void commitNow() {
    CompletableFuture<Void> done = backend.commit();
    while (backend.doWork()) {}
    assertTrue(done.isDone());
    done.join();
  }

  @Test
  void publishedIsVisibleAtOnceAndStaysSoThroughTheCommit() {
    put(Bucket.LEASE, "a", "1");
    assertEquals("1", get(Bucket.LEASE, "a"));
    assertNull(get(Bucket.ALARM, "a"));
    commitNow();
    assertEquals("1", get(Bucket.LEASE, "a"));
    delete(Bucket.LEASE, "a");
    assertNull(get(Bucket.LEASE, "a"));
    commitNow();
    assertNull(get(Bucket.LEASE, "a"));
  }

  @Test
  void pinnedValuesStayAsLongAsTheView() {
    put(Bucket.KEY, "disk", "1");
    put(Bucket.KEY, "gone", "1");
    commitNow();
    put(Bucket.KEY, "new", "22");
    delete(Bucket.KEY, "gone");
    PinnedValues pinned = new PinnedValues();
    try (ReadView view = backend.read()) {
      for (int i = 0; i < 100; i++) {
        assertTrue(view.pin(Bucket.KEY, bytes("disk"), pinned));
        assertTrue(view.pin(Bucket.KEY, bytes("new"), pinned));
        assertFalse(view.pin(Bucket.KEY, bytes("gone"), pinned));
        assertFalse(view.pin(Bucket.KEY, bytes("never"), pinned));
        assertFalse(view.pin(Bucket.KEY, new byte[0], pinned));
      }
      for (int i = 0; i < 20; i++) {
        put(Bucket.KEY, "disk", "x" + i);
        put(Bucket.KEY, "new", "y" + i);
        commitNow();
      }
      assertEquals(200, pinned.size());
      for (int i = 0; i < 200; i += 2) {
        assertEquals("1", UTF_8.decode(pinned.get(i)).toString());
        assertEquals("22", UTF_8.decode(pinned.get(i + 1)).toString());
        assertEquals(2, pinned.length(i + 1));
      }
      view.close();
      assertThrows(IllegalStateException.class, () -> view.pin(Bucket.KEY, bytes("disk"), pinned));
    }
  }

  @Test
  void aUnitIsInvisibleUntilPublishedAndItsLastOperationOnAKeyWins() {
    WriteUnit unit = backend.begin();
    unit.put(Bucket.META, bytes("a"), bytes("1"));
    unit.put(Bucket.META, bytes("a"), bytes("2"));
    unit.put(Bucket.META, bytes("b"), bytes("1"));
    unit.delete(Bucket.META, bytes("b"));
    assertEquals(4, unit.size());
    assertNull(get(Bucket.META, "a"));
    assertEquals(1, unit.publish());
    assertEquals("2", get(Bucket.META, "a"));
    assertNull(get(Bucket.META, "b"));
    assertThrows(IllegalStateException.class, unit::publish);
    assertThrows(IllegalStateException.class, () -> unit.delete(Bucket.META, bytes("a")));
  }

  @Test
  void aViewSeesNothingPublishedLater() {
    put(Bucket.KEY, "k1", "1");
    put(Bucket.META, "a", "1");
    try (ReadView view = backend.read()) {
      put(Bucket.KEY, "k2", "2");
      put(Bucket.META, "a", "2");
      assertEquals("1", get(view, Bucket.META, "a"));
      assertNull(get(view, Bucket.KEY, "k2"));
      commitNow();
      put(Bucket.META, "a", "3");
      commitNow();
      assertEquals("1", get(view, Bucket.META, "a"));
      assertEquals("k1=1", scan(view, Bucket.KEY, "", null));
    }
    assertEquals("3", get(Bucket.META, "a"));
  }

  @Test
  void aScanMergesDiskAndBothBatchesInOrderWithoutTheDeleted() {
    for (String key : List.of("a", "c", "e", "g")) {
      put(Bucket.KEY, key, "disk");
      put(Bucket.LEASE, key, "disk");
    }
    commitNow();
    backend.close();
    backend = reopen(options().withCadence(8, INTERVAL_NANOS));
    put(Bucket.KEY, "b", "frozen");
    put(Bucket.LEASE, "b", "frozen");
    delete(Bucket.KEY, "c");
    delete(Bucket.LEASE, "c");
    put(Bucket.KEY, "h", "frozen");
    put(Bucket.LEASE, "h", "frozen");
    put(Bucket.KEY, "i", "frozen");
    put(Bucket.LEASE, "i", "frozen");
    put(Bucket.KEY, "c", "current");
    put(Bucket.LEASE, "c", "current");
    delete(Bucket.KEY, "h");
    delete(Bucket.LEASE, "h");
    for (Bucket bucket : List.of(Bucket.KEY, Bucket.LEASE)) {
      try (ReadView view = backend.read()) {
        assertEquals(
            "a=disk b=frozen c=current e=disk g=disk i=frozen", scan(view, bucket, "", null));
        assertEquals("b=frozen c=current", scan(view, bucket, "b", "e"));
        assertEquals("e=disk", scan(view, bucket, "cc", "g"));
        assertEquals("", scan(view, bucket, "j", null));
        assertEquals("current", get(view, bucket, "c"));
        assertNull(get(view, bucket, "h"));
      }
    }
    while (backend.nanosUntilDue() == 0) {
      backend.doWork();
    }
    commitNow();
    try (ReadView view = backend.read()) {
      assertEquals(
          "a=disk b=frozen c=current e=disk g=disk i=frozen", scan(view, Bucket.KEY, "", null));
    }
  }

  /// Opens again what an orderly close left.
  abstract Backend reopen(BackendOptions options);

  @Test
  void aScanStopsWhenToldAndMayReadMeanwhile() {
    put(Bucket.KEY, "a", "1");
    put(Bucket.KEY, "b", "2");
    commitNow();
    put(Bucket.KEY, "c", "3");
    put(Bucket.KEY, "d", "4");
    List<String> seen = new ArrayList<>();
    try (ReadView view = backend.read()) {
      view.scan(
          Bucket.KEY,
          bytes("a"),
          null,
          (key, value) -> {
            assertArrayEquals(value, view.get(Bucket.KEY, key));
            assertEquals("1", get(view, Bucket.KEY, "a"));
            assertEquals("a=1 b=2", scan(view, Bucket.KEY, "a", "c"));
            seen.add(new String(value, UTF_8));
            return seen.size() < 3;
          });
    }
    assertEquals(List.of("1", "2", "3"), seen);
  }

  @Test
  void aBatchIsDueAfterTheInterval() {
    assertEquals(Long.MAX_VALUE, backend.nanosUntilDue());
    assertFalse(backend.doWork());
    clock.set(5);
    put(Bucket.META, "a", "1");
    assertEquals(1, wakes.get(), "the runner has to look at the clock again");
    assertEquals(INTERVAL_NANOS, backend.nanosUntilDue());
    clock.addAndGet(INTERVAL_NANOS - 1);
    put(Bucket.META, "b", "1");
    assertFalse(backend.doWork());
    clock.incrementAndGet();
    assertEquals(0, backend.nanosUntilDue());
    assertTrue(backend.doWork());
    assertEquals(2, backend.durablePosition());
    assertEquals(List.of(2L), durable);
    assertEquals(Long.MAX_VALUE, backend.nanosUntilDue());
  }

  @Test
  void aBatchIsDueWhenItHoldsEnoughOperations() {
    backend.close();
    backend = open(options().withCadence(3, INTERVAL_NANOS));
    put(Bucket.META, "a", "1");
    put(Bucket.META, "b", "1");
    assertFalse(backend.doWork());
    put(Bucket.META, "c", "1");
    assertEquals(0, backend.nanosUntilDue());
    put(Bucket.META, "d", "1");
    assertTrue(backend.doWork());
    assertEquals(3, backend.durablePosition());
    assertFalse(backend.doWork());
    assertEquals("1", get(Bucket.META, "d"));
  }

  @Test
  void thereIsRoomUntilTwoBatchesAreFull() {
    backend.close();
    backend = open(options().withCadence(2, INTERVAL_NANOS));
    for (int i = 1; i <= 3; i++) {
      put(Bucket.META, "k" + i, "");
      assertTrue(backend.hasRoom(), "after " + i);
    }
    put(Bucket.META, "k4", "");
    assertFalse(backend.hasRoom());
    assertTrue(backend.doWork());
    assertTrue(backend.hasRoom());
    assertEquals(2, backend.durablePosition());
    assertEquals(0, backend.nanosUntilDue(), "the full one is frozen at once");
    assertTrue(backend.doWork());
    assertEquals(4, backend.durablePosition());
  }

  @Test
  void commitCompletesWhenAllThatWasPublishedIsDurable() {
    assertTrue(backend.commit().isDone());
    put(Bucket.META, "a", "1");
    CompletableFuture<Void> first = backend.commit();
    put(Bucket.META, "b", "1");
    assertFalse(first.isDone());
    assertEquals(0, backend.nanosUntilDue());
    assertTrue(backend.doWork());
    assertTrue(first.isDone());
    assertTrue(backend.durablePosition() >= 1);
  }

  @Test
  void anEmptyUnitHasAPositionAndBecomesDurable() {
    assertEquals(1, backend.begin().publish());
    commitNow();
    assertEquals(1, backend.durablePosition());
    assertEquals(2, delete(Bucket.LEASE, "absent"));
    commitNow();
    try (ReadView before = backend.read()) {
      put(Bucket.LEASE, "absent", "now");
      commitNow();
      assertNull(get(before, Bucket.LEASE, "absent"));
    }
    assertEquals("now", get(Bucket.LEASE, "absent"));
  }

  @Test
  void aCrashLosesWholeUnitsFromTheEnd() {
    for (int i = 1; i <= 3; i++) {
      unitOfTwo(i);
    }
    commitNow();
    long promised = backend.durablePosition();
    for (int i = 4; i <= 6; i++) {
      unitOfTwo(i);
    }
    backend = crashAndReopen(options());
    String meta = get(Bucket.META, "last");
    long survived = Long.parseLong(meta);
    assertTrue(survived >= promised, meta);
    for (int i = 1; i <= 6; i++) {
      assertEquals(i <= survived ? "v" + i : null, get(Bucket.KEY, "k" + i));
    }
  }

  private void unitOfTwo(int i) {
    WriteUnit unit = backend.begin();
    unit.put(Bucket.KEY, bytes("k" + i), bytes("v" + i));
    unit.put(Bucket.META, bytes("last"), bytes(Integer.toString(i)));
    unit.publish();
  }

  @Test
  void closeCommitsAndOpenFindsItAll() {
    put(Bucket.KEY, "a", "1");
    put(Bucket.AUTH_USERS, "root", "r");
    CompletableFuture<Void> done = backend.commit();
    backend.close();
    assertTrue(done.isDone() && !done.isCompletedExceptionally());
    assertThrows(StorageException.class, () -> put(Bucket.META, "late", ""));
    assertThrows(StorageException.class, () -> backend.read());
    backend.close();
    backend = reopen(options());
    assertEquals("1", get(Bucket.KEY, "a"));
    assertEquals("r", get(Bucket.AUTH_USERS, "root"));
    assertNull(get(Bucket.META, "late"));
  }

  @Test
  void aViewOutlivesTheBackend() {
    put(Bucket.KEY, "a", "1");
    commitNow();
    ReadView view = backend.read();
    backend.close();
    assertEquals("1", get(view, Bucket.KEY, "a"));
    view.close();
    view.close();
    assertThrows(IllegalStateException.class, () -> get(view, Bucket.KEY, "a"));
  }

  @Test
  void theSnapshotViewHoldsTheLastCommitOnly() {
    put(Bucket.META, "a", "1");
    commitNow();
    put(Bucket.META, "a", "2");
    try (ReadView view = backend.snapshotView()) {
      commitNow();
      assertEquals("a=1", scan(view, Bucket.META, "", null));
    }
    try (ReadView view = backend.snapshotView()) {
      assertEquals("a=2", scan(view, Bucket.META, "", null));
    }
  }

  @Test
  void sizesGrowWithWhatIsPublishedAndCommitted() {
    long empty = backend.sizeBytes();
    WriteUnit unit = backend.begin();
    unit.put(Bucket.KEY, RevisionKey.encode(2, 0, false), new byte[1 << 20]);
    unit.publish();
    assertTrue(backend.sizeBytes() >= 1 << 20);
    commitNow();
    assertTrue(backend.sizeBytes() >= empty + (1 << 20));
    assertTrue(backend.sizeInUseBytes() >= 1 << 20);
    assertTrue(backend.sizeInUseBytes() <= backend.sizeBytes());
    WriteUnit removal = backend.begin();
    removal.delete(Bucket.KEY, RevisionKey.encode(2, 0, false));
    removal.publish();
    commitNow();
    assertTrue(backend.sizeInUseBytes() < 1 << 20);
    assertTrue(backend.sizeBytes() >= 1 << 20, "the file does not shrink (CLUS-130)");
  }

  @Test
  void keysOfNoLengthOrTooLongAreRefused() {
    WriteUnit unit = backend.begin();
    byte[] longest = new byte[511];
    unit.put(Bucket.AUTH_ROLES, longest, bytes("v"));
    assertThrows(
        IllegalArgumentException.class,
        () -> unit.put(Bucket.AUTH_ROLES, new byte[512], bytes("v")));
    assertThrows(IllegalArgumentException.class, () -> unit.delete(Bucket.AUTH_ROLES, new byte[0]));
    unit.publish();
    commitNow();
    try (ReadView view = backend.read()) {
      assertArrayEquals(bytes("v"), view.get(Bucket.AUTH_ROLES, longest));
      assertNull(view.get(Bucket.AUTH_ROLES, new byte[600]));
      assertNull(view.get(Bucket.AUTH_ROLES, new byte[0]));
      byte[] beyond = new byte[600];
      assertEquals("", scan(view, Bucket.AUTH_ROLES, new String(beyond, UTF_8), null));
    }
  }

  /// Random units, commits, views and scans against a model.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void behavesLikeSortedMaps(long seed) {
    Random random = new Random(seed);
    backend.close();
    backend = open(options().withCadence(1 + random.nextInt(20), INTERVAL_NANOS));
    Map<Bucket, TreeMap<byte[], byte[]>> model = emptyModel();
    List<ReadView> views = new ArrayList<>();
    List<Map<Bucket, TreeMap<byte[], byte[]>>> pictures = new ArrayList<>();
    long main = 2;
    for (int step = 0; step < 1000; step++) {
      switch (random.nextInt(12)) {
        case 0 -> backend.doWork();
        case 1 -> clock.addAndGet(INTERVAL_NANOS / 3);
        case 2 -> {
          views.add(backend.read());
          pictures.add(copy(model));
        }
        case 3 -> {
          if (!views.isEmpty()) {
            int at = random.nextInt(views.size());
            ReadView view = views.remove(at);
            compare(seed, random, view, pictures.remove(at));
            view.close();
          }
        }
        case 4 -> {
          if (random.nextInt(10) == 0) {
            commitNow();
          }
        }
        default -> main = randomUnit(random, model, main);
      }
      while (!backend.hasRoom()) {
        backend.doWork();
      }
    }
    views.forEach(ReadView::close);
    commitNow();
    try (ReadView view = backend.snapshotView()) {
      compare(seed, random, view, model);
    }
    backend.close();
    backend = reopen(options());
    try (ReadView view = backend.read()) {
      compare(seed, random, view, model);
    }
  }

  private long randomUnit(Random random, Map<Bucket, TreeMap<byte[], byte[]>> model, long main) {
    WriteUnit unit = backend.begin();
    for (int i = random.nextInt(6); i > 0; i--) {
      boolean key = random.nextBoolean();
      Bucket bucket = key ? Bucket.KEY : Bucket.values()[random.nextInt(10)];
      byte[] name;
      if (key && random.nextInt(4) != 0) {
        name = RevisionKey.encode(main++, random.nextInt(2), random.nextInt(5) == 0);
      } else if (key) {
        name = RevisionKey.encode(1 + random.nextInt((int) main), random.nextInt(2), false);
      } else {
        name = new byte[] {(byte) random.nextInt(-20, 20)};
      }
      if (random.nextInt(4) == 0) {
        unit.delete(bucket, name);
        model.get(bucket).remove(name);
      } else {
        byte[] value = new byte[random.nextInt(20) == 0 ? 5000 : random.nextInt(30)];
        random.nextBytes(value);
        unit.put(bucket, name, value);
        model.get(bucket).put(name, value);
      }
    }
    unit.publish();
    return main;
  }

  private static Map<Bucket, TreeMap<byte[], byte[]>> emptyModel() {
    Map<Bucket, TreeMap<byte[], byte[]>> model = new EnumMap<>(Bucket.class);
    for (Bucket bucket : Bucket.values()) {
      model.put(bucket, new TreeMap<>(Arrays::compareUnsigned));
    }
    return model;
  }

  private static Map<Bucket, TreeMap<byte[], byte[]>> copy(
      Map<Bucket, TreeMap<byte[], byte[]>> model) {
    Map<Bucket, TreeMap<byte[], byte[]>> copy = emptyModel();
    model.forEach((bucket, content) -> copy.get(bucket).putAll(content));
    return copy;
  }

  private static void compare(
      long seed, Random random, ReadView view, Map<Bucket, TreeMap<byte[], byte[]>> expected) {
    for (Bucket bucket : Bucket.values()) {
      TreeMap<byte[], byte[]> content = expected.get(bucket);
      var rest = content.entrySet().iterator();
      view.scan(
          bucket,
          new byte[0],
          null,
          (key, value) -> {
            assertTrue(rest.hasNext(), () -> "seed " + seed + ": too much in " + bucket);
            var next = rest.next();
            assertArrayEquals(next.getKey(), key, () -> "seed " + seed + " in " + bucket);
            assertArrayEquals(next.getValue(), value, () -> "seed " + seed + " in " + bucket);
            return true;
          });
      assertFalse(rest.hasNext(), () -> "seed " + seed + ": too little in " + bucket);
      for (int i = 0; i < 5; i++) {
        byte[] key =
            bucket == Bucket.KEY
                ? RevisionKey.encode(1 + random.nextInt(2000), 0, false)
                : new byte[] {(byte) random.nextInt(-20, 20)};
        assertArrayEquals(content.get(key), view.get(bucket, key), () -> "seed " + seed);
        byte[] end = bucket == Bucket.KEY ? RevisionKey.encode(900, 0, false) : new byte[] {5};
        byte[] from = Arrays.compareUnsigned(key, end) <= 0 ? key : end;
        int[] count = {0};
        view.scan(bucket, from, end, (k, v) -> ++count[0] > 0);
        assertEquals(content.subMap(from, end).size(), count[0], () -> "seed " + seed);
      }
    }
  }

  /// Readers race a publisher and a committer: a view must hold units 1..n whole for one n, never
  /// fewer than the view before it.
  @Test
  void viewsAreConsistentUnderConcurrentPublishing() throws InterruptedException {
    backend.close();
    BackendOptions busy = options().withCadence(50, 0);
    backend = open(busy);
    int units = 6_000;
    AtomicBoolean over = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    threads.add(
        Thread.ofPlatform()
            .unstarted(
                () -> {
                  while (!over.get()) {
                    if (!backend.doWork()) {
                      Thread.yield();
                    }
                  }
                }));
    for (int i = 0; i < 2; i++) {
      threads.add(Thread.ofPlatform().unstarted(() -> readUntil(over)));
    }
    threads.forEach(thread -> thread.setUncaughtExceptionHandler((t, e) -> failure.set(e)));
    threads.forEach(Thread::start);
    for (int i = 1; i <= units; i++) {
      WriteUnit unit = backend.begin();
      byte[] number = bytes(Integer.toString(i));
      unit.put(Bucket.KEY, RevisionKey.encode(i, 0, false), number);
      unit.put(Bucket.META, bytes("last"), number);
      if (i > 100) {
        unit.delete(Bucket.KEY, RevisionKey.encode(i - 100, 0, false));
      }
      unit.publish();
    }
    over.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError("reader or committer failed", failure.get());
    }
    assertEquals(Integer.toString(units), get(Bucket.META, "last"));
  }

  private void readUntil(AtomicBoolean over) {
    int before = 0;
    while (!over.get()) {
      try (ReadView view = backend.read()) {
        String text = get(view, Bucket.META, "last");
        int last = text == null ? 0 : Integer.parseInt(text);
        assertTrue(last >= before, () -> text + " is older than the view before");
        before = last;
        assertNull(view.get(Bucket.KEY, RevisionKey.encode(last + 1, 0, false)));
        long[] next = {Math.max(1, last - 99)};
        view.scan(
            Bucket.KEY,
            new byte[0],
            null,
            (key, value) -> {
              assertEquals(next[0]++, RevisionKey.main(key));
              return true;
            });
        assertEquals(last + 1, next[0]);
      }
    }
  }
}
