package dev.etcdj.mvcc.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What happens between a reader's look at the batches and its look at the disk, step by step on
/// one thread: nothing may fall between, and nothing later may shine through.
final class ReadRaceTest {
  /// Does something before the next read.
  private static final class SlowEngine extends MemoryEngine {
    private @Nullable Runnable meanwhile;

    @Override
    public @Nullable Disk read(long lowestId, long highestId) {
      Runnable now = meanwhile;
      meanwhile = null;
      if (now != null) {
        now.run();
      }
      return super.read(lowestId, highestId);
    }
  }

  private final SlowEngine engine = new SlowEngine();
  private final MemoryBackend backend =
      new MemoryBackend(engine, BackendOptions.of(() -> 0, () -> {}).withCadence(2, 1));

  /// A unit that sets two rows, one of them new each time, to the same number.
  private void publish(int number) {
    byte[] value = Integer.toString(number).getBytes(UTF_8);
    WriteUnit unit = backend.begin();
    unit.put(Bucket.META, new byte[] {'a'}, value);
    unit.put(Bucket.META, new byte[] {'b', (byte) number}, value);
    unit.publish();
  }

  private void commitAll() {
    backend.commit();
    while (backend.doWork()) {}
  }

  private void checkView(int expected) {
    try (ReadView view = backend.read()) {
      byte[] last = view.get(Bucket.META, new byte[] {'a'});
      assertNotNull(last);
      assertEquals(expected, Integer.parseInt(new String(last, UTF_8)));
      int[] rows = {0};
      view.scan(Bucket.META, new byte[] {'b'}, null, (key, value) -> ++rows[0] > 0);
      assertEquals(expected, rows[0]);
    }
  }

  @Test
  void theFrozenBatchIsCommittedMeanwhile() {
    publish(1);
    engine.meanwhile = backend::doWork;
    checkView(1);
  }

  @Test
  void theFrozenBatchIsCommittedAndAnotherPublishedMeanwhile() {
    publish(1);
    engine.meanwhile =
        () -> {
          backend.doWork();
          publish(2);
        };
    checkView(1);
  }

  @Test
  void everythingSeenAndMoreIsCommittedMeanwhile() {
    publish(1);
    engine.meanwhile =
        () -> {
          publish(2);
          commitAll();
          publish(3);
          commitAll();
        };
    checkView(3);
  }

  @Test
  void theFillingBatchGrowsAndIsCommittedMeanwhile() {
    MemoryBackend roomy =
        new MemoryBackend(engine, BackendOptions.of(() -> 0, () -> {}).withCadence(99, 1));
    WriteUnit first = roomy.begin();
    first.put(Bucket.META, new byte[] {'a'}, new byte[] {1});
    first.publish();
    engine.meanwhile =
        () -> {
          WriteUnit second = roomy.begin();
          second.put(Bucket.META, new byte[] {'a'}, new byte[] {2});
          second.put(Bucket.META, new byte[] {'b'}, new byte[] {2});
          second.publish();
          roomy.commit();
          roomy.doWork();
        };
    try (ReadView view = roomy.read()) {
      byte[] a = view.get(Bucket.META, new byte[] {'a'});
      byte[] b = view.get(Bucket.META, new byte[] {'b'});
      assertNotNull(a);
      assertNotNull(b, "the view has to begin anew, not to mix two moments");
      assertEquals(a[0], b[0]);
    }
  }
}
