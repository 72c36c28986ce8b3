package dev.etcdj.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.io.MemoryFileStore;
import dev.etcdj.wal.io.MemoryFileStore.Survival;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/// After a crash everything that was synced is there, in order, and nothing that was never
/// appended. Method: seeded histories on a disk that keeps any part of what was not synced, against
/// `LogModel`. Source: RAFT-114, peer.md §5.4. Replay: `-Dseed=`.
@NullUnmarked
class CrashTest {
  private static final Path DIR = Path.of("/member/wal");
  private static final WalConfig CONFIG = new WalConfig(16_384, false, 0);
  private static final WalMetadata METADATA = new WalMetadata(1, 2);
  private static final ConfState MEMBERS = ConfState.ofVoters(List.of(1L, 2L, 3L));

  private final long seed = Long.getLong("seed", 7L);

  @Test
  void randomHistories() {
    int repaired = 0;
    int lost = 0;
    int lostPower = 0;
    for (int history = 0; history < 120; history++) {
      Scenario scenario =
          new Scenario(new SplittableRandom(seed + history), "seed " + (seed + history));
      for (int life = 0; life < 8; life++) {
        scenario.live();
        scenario.crashAndReopen();
      }
      repaired += scenario.repaired;
      lostPower += scenario.lostPower;
      lost += scenario.lost;
    }
    String seen = repaired + " repairs, " + lost + " losses, " + lostPower + " while syncing";
    assertTrue(repaired > 20 && lost > 50 && lostPower > 50, seen);
  }

  @Test
  void everyByteOfTheLastWrite() {
    long bytes = -1;
    for (long kept = 0; bytes < 0 || kept <= bytes; kept++) {
      Scenario scenario = new Scenario(new SplittableRandom(seed), "kept " + kept);
      scenario.longEntryBytes = 100;
      scenario.liveOn();
      scenario.sync();
      long[] wrote = {0};
      scenario.wal.report(new Counting(wrote));
      for (int round = 0; round < 8; round++) {
        scenario.appendSome();
      }
      scenario.writeOnly();
      bytes = wrote[0];
      scenario.crash(new Survival.FirstBytes(kept));
      scenario.reopen();
      if (kept == 0) {
        assertEquals(1, scenario.lost);
      }
    }
    assertTrue(bytes > 500, bytes + " bytes");
  }

  private record Counting(long[] wrote) implements WalWriter.WalMetrics {
    @Override
    public void fsynced(long nanos) {}

    @Override
    public void wrote(long bytes) {
      wrote[0] += bytes;
    }
  }

  private static final class PowerLoss extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// One log, its disk and its model.
  private static final class Scenario {
    final MemoryFileStore files = new MemoryFileStore();
    final RandomGenerator random;
    final String hint;
    final LogModel model = new LogModel();
    int longEntryBytes = 3_000;
    Wal wal;
    long term = 1;
    long last;
    HardState state = HardState.EMPTY;
    int repaired;
    int lost;
    int lostPower;

    Scenario(RandomGenerator random, String hint) {
      this.random = random;
      this.hint = hint;
      wal = Wal.create(files, DIR, METADATA, CONFIG);
    }

    void live() {
      if (random.nextBoolean()) {
        losePowerAtSync(random.nextInt(8));
      }
      try {
        liveOn();
      } catch (PowerLoss end) {
        lostPower++;
      }
    }

    private void liveOn() {
      for (int step = random.nextInt(30); step >= 0; step--) {
        switch (random.nextInt(12)) {
          case 0, 1, 2 -> sync();
          case 3 -> install();
          case 4 -> mark();
          default -> appendSome();
        }
        if (random.nextInt(3) == 0) {
          boolean took = wal.preparer().doWork();
          assertTrue(took || !wal.preparer().doWork());
        }
      }
    }

    void sync() {
      wal.sync();
      model.synced();
    }

    /// Buffered bytes reach the operating system, nothing is promised.
    void writeOnly() {
      losePowerAtSync(0);
      assertThrows(PowerLoss.class, wal::makeDurable);
    }

    private void losePowerAtSync(int n) {
      int[] left = {n};
      files.beforeSync(
          path -> {
            if (left[0]-- == 0) {
              throw new PowerLoss();
            }
          });
    }

    /// Entries behind, or instead of, the uncommitted tail, and a state.
    void appendSome() {
      long from = last + 1;
      if (random.nextInt(4) == 0) {
        term++;
        from = state.commit() + 1 + random.nextLong(last - state.commit() + 1);
      }
      List<Entry> entries = entries(from, 1 + random.nextInt(4));
      HardState next = null;
      last = entries.getLast().index();
      if (random.nextInt(3) > 0) {
        long commit = state.commit() + random.nextLong(last - state.commit() + 1);
        next = new HardState(term, vote(term), commit);
      }
      wal.append(null, entries, next);
      entries.forEach(model::append);
      note(next);
    }

    /// A leader's snapshot, ahead of the log or in conflict with its tail, perhaps with entries.
    void install() {
      term++;
      long index = state.commit() + 1 + random.nextLong(last - state.commit() + 5);
      WalSnapshot snapshot = new WalSnapshot(index, term, MEMBERS);
      List<Entry> entries = random.nextBoolean() ? entries(index + 1, 2) : List.of();
      HardState next = new HardState(term, vote(term), index + entries.size() / 2);
      wal.append(snapshot, entries, next);
      model.mark(snapshot, true);
      if (!entries.isEmpty()) {
        model.state(new HardState(term, vote(term), index));
      }
      entries.forEach(model::append);
      // Until a later entry is written the old tail is still what the next one may replace.
      last = entries.isEmpty() ? index : entries.getLast().index();
      note(next);
    }

    /// The member's own snapshot, somewhere in what is committed.
    void mark() {
      LogModel.View view = model.view();
      for (Entry entry : view.entries()) {
        if (entry.index() <= state.commit() && random.nextInt(4) == 0) {
          WalSnapshot snapshot = new WalSnapshot(entry.index(), entry.term(), MEMBERS);
          wal.append(snapshot, List.of(), null);
          model.mark(snapshot, false);
          return;
        }
      }
    }

    void crashAndReopen() {
      crash(
          switch (random.nextInt(6)) {
            case 0 -> new Survival.Nothing();
            case 1 -> new Survival.Everything();
            default -> new Survival.Sectors(random);
          });
      reopen();
    }

    void crash(Survival survival) {
      files.crash(survival);
    }

    void reopen() {
      WalRecovery found = Wal.open(files, DIR, CONFIG, Long.MAX_VALUE);
      var view = new LogModel.View(found.snapshot(), found.hardState(), found.entries());
      int kept = model.lengthOf(view);
      assertTrue(kept >= 0, () -> hint + ": found " + view + ", expected " + model.view());
      lost += kept < model.steps.size() ? 1 : 0;
      repaired += found.repaired() ? 1 : 0;
      model.keep(kept);
      wal = found.wal();
      state = found.hardState();
      last = found.snapshot().index() + found.entries().size();
      term = Math.max(term, state.term()) + 1;
    }

    private List<Entry> entries(long from, int count) {
      List<Entry> entries = new ArrayList<>();
      for (int at = 0; at < count; at++) {
        byte[] data =
            new byte[random.nextInt(5) == 0 ? random.nextInt(longEntryBytes) : random.nextInt(80)];
        if (random.nextInt(4) > 0) {
          random.nextBytes(data);
        }
        entries.add(new Entry(term, from + at, EntryType.NORMAL, Bytes.wrap(data)));
      }
      return entries;
    }

    private static long vote(long term) {
      return term % 3 + 1;
    }

    private void note(HardState next) {
      if (next != null) {
        state = next;
        model.state(next);
      }
    }
  }
}
