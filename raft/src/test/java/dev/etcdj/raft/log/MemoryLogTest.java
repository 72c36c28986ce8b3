package dev.etcdj.raft.log;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.MemoryLog.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Guarantee: RAFT-5, RAFT-6, and that slices given out never change. Method: against a tree map.
class MemoryLogTest {

  static List<Entry> run(long from, long to, long term) {
    List<Entry> entries = new ArrayList<>();
    for (long index = from; index < to; index++) {
      byte[] data = new byte[(int) (index % 7)];
      entries.add(new Entry(term, index, EntryType.NORMAL, Bytes.wrap(data)));
    }
    return entries;
  }

  @Test
  void equalsASimpleModelAndSlicesStayAsTheyWere() {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      MemoryLog log = new MemoryLog();
      TreeMap<Long, Entry> model = new TreeMap<>();
      long compacted = 0;
      List<List<Entry>> slices = new ArrayList<>();
      List<List<Entry>> copies = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        long last = model.isEmpty() ? compacted : model.lastKey();
        int dice = random.nextInt(10);
        if (dice < 6) {
          long from = Math.max(1, last + 1 - random.nextInt(4));
          List<Entry> added = run(from, from + 1 + random.nextInt(9), i);
          log.append(added);
          long floor = compacted;
          if (added.getLast().index() > floor) {
            model.tailMap(Math.max(from, floor + 1)).clear();
            added.stream().filter(e -> e.index() > floor).forEach(e -> model.put(e.index(), e));
          }
        } else if (dice < 7 && last > compacted) {
          compacted += 1 + random.nextInt((int) (last - compacted));
          assertEquals(Change.DONE, log.compact(compacted));
          model.headMap(compacted, true).clear();
        } else {
          last = model.isEmpty() ? compacted : model.lastKey();
          long lo = compacted + 1 + random.nextInt((int) (last - compacted) + 1);
          List<Entry> slice = requireNonNull(log.entries(lo, last + 1, random.nextInt(60)));
          slices.add(slice);
          copies.add(List.copyOf(slice));
          long at = lo;
          for (Entry entry : slice) {
            assertEquals(model.get(at++), entry);
          }
        }
        assertEquals(compacted + 1, log.firstIndex());
        assertEquals(model.isEmpty() ? compacted : model.lastKey(), log.lastIndex());
      }
      assertEquals(copies, slices, "seed " + seed);
    }
  }

  @Test
  void entriesAreCutBySizeButNeverToNone() {
    MemoryLog log = new MemoryLog();
    log.append(run(1, 5, 1));
    // Encoded sizes: 9, 10, 11, 12.
    assertEquals(1, requireNonNull(log.entries(1, 5, 0)).size());
    assertEquals(1, requireNonNull(log.entries(1, 5, 18)).size());
    assertEquals(2, requireNonNull(log.entries(1, 5, 19)).size());
    assertEquals(4, requireNonNull(log.entries(1, 5, 1000)).size());
    assertEquals(0, requireNonNull(log.entries(5, 5, 1000)).size());
  }

  @Test
  void termsAreKnownFromTheCompactedIndexOn() {
    MemoryLog log = new MemoryLog();
    log.append(run(1, 6, 3));
    log.compact(3);
    assertEquals(new LogReader.Compacted(), log.term(2));
    assertEquals(new LogReader.Term(3), log.term(3));
    assertEquals(new LogReader.Term(3), log.term(5));
    assertEquals(new LogReader.Unavailable(), log.term(6));
    assertNull(log.entries(3, 5, 100));
  }

  @Test
  void gapsAndImpossibleRequestsAreFatal() {
    MemoryLog log = new MemoryLog();
    log.append(run(1, 3, 1));
    assertThrows(InvariantViolation.class, () -> log.append(run(4, 5, 1)));
    assertThrows(InvariantViolation.class, () -> log.compact(3));
    assertThrows(InvariantViolation.class, () -> log.entries(1, 4, 100));
    assertThrows(
        InvariantViolation.class, () -> log.createSnapshot(9, ConfState.EMPTY, Bytes.EMPTY));
  }

  @Test
  void snapshotsOnlyMoveForward() {
    MemoryLog log = new MemoryLog();
    log.append(run(1, 10, 2));
    ConfState conf = ConfState.ofVoters(List.of(1L));
    assertEquals(Change.DONE, log.createSnapshot(5, conf, Bytes.EMPTY));
    assertEquals(Change.OUT_OF_DATE, log.createSnapshot(5, conf, Bytes.EMPTY));
    assertEquals(new Snapshot(5, 2, conf, Bytes.EMPTY), log.snapshot());
    assertEquals(Change.DONE, log.compact(7));
    assertEquals(Change.COMPACTED, log.compact(7));
    assertEquals(Change.COMPACTED, log.createSnapshot(6, conf, Bytes.EMPTY));
    assertEquals(Change.OUT_OF_DATE, log.applySnapshot(new Snapshot(4, 2, conf, Bytes.EMPTY)));
    assertEquals(Change.DONE, log.applySnapshot(new Snapshot(20, 3, conf, Bytes.EMPTY)));
    assertEquals(21, log.firstIndex());
    assertEquals(20, log.lastIndex());
    assertEquals(new LogReader.Term(3), log.term(20));
  }

  @Test
  void theStartConfigurationIsNotTheSnapshots() {
    MemoryLog log = new MemoryLog();
    ConfState old = ConfState.ofVoters(List.of(1L));
    log.applySnapshot(new Snapshot(5, 1, old, Bytes.EMPTY));
    ConfState applied = ConfState.ofVoters(List.of(1L, 2L));
    log.setConfState(applied);
    assertEquals(applied, log.initialState().confState());
    assertEquals(old, log.snapshot().confState());
  }
}
