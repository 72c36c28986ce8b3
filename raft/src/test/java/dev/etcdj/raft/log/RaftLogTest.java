package dev.etcdj.raft.log;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.InvariantViolation;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Guarantee: storage and what is on its way there read as one log. Source: RAFT-14..16, RAFT-22,
/// RAFT-50, RAFT-51.
class RaftLogTest {
  private final MemoryLog storage = new MemoryLog();

  private RaftLog log(long maxApplyingBytes) {
    return new RaftLog(storage, maxApplyingBytes);
  }

  private static List<Entry> run(long from, long to, long term) {
    return MemoryLogTest.run(from, to, term);
  }

  @Test
  void slicesCrossFromStorageIntoTheUnstablePart() {
    storage.append(run(1, 4, 1));
    RaftLog log = log(Long.MAX_VALUE);
    log.appendMatching(3, run(4, 7, 2));
    assertEquals(6, requireNonNull(log.slice(1, 7, Long.MAX_VALUE)).size());
    // 9 + 10 + 11 in storage, then 12.
    assertEquals(3, requireNonNull(log.slice(1, 7, 41)).size());
    assertEquals(4, requireNonNull(log.slice(1, 7, 42)).size());
    assertEquals(2, log.term(6));
    assertEquals(RaftLog.NO_TERM, log.term(7));
  }

  @Test
  void storedEntriesAreLetGoOnlyIfTheyAreTheSame_RAFT_22() {
    RaftLog log = log(Long.MAX_VALUE);
    log.appendMatching(0, run(1, 4, 1));
    log.handOver();
    assertFalse(log.hasNextEntries());
    // Replaced while the write is in flight.
    log.appendMatching(1, run(2, 4, 2));
    assertEquals(2, log.nextEntries().size());
    log.stable(3, 1);
    assertEquals(2, log.term(3));
    assertTrue(log.hasUnstableEntries());
    storage.append(run(1, 2, 1));
    storage.append(run(2, 4, 2));
    log.stable(3, 2);
    assertFalse(log.hasUnstableEntries());
    assertEquals(2, log.term(3));
  }

  @Test
  void presentEntriesAreNotWrittenAgain_RAFT_50() {
    RaftLog log = log(Long.MAX_VALUE);
    log.appendMatching(0, run(1, 6, 1));
    log.handOver();
    assertEquals(3, log.appendMatching(1, run(2, 4, 1)));
    assertEquals(5, log.lastIndex());
    assertFalse(log.hasNextEntries());
  }

  @Test
  void conflictWithCommittedEntriesIsFatal_RAFT_50() {
    RaftLog log = log(Long.MAX_VALUE);
    log.appendMatching(0, run(1, 6, 1));
    log.commitTo(3);
    assertThrows(InvariantViolation.class, () -> log.appendMatching(2, run(3, 4, 2)));
  }

  @Test
  void hintSkipsTermsAbove_RAFT_51() {
    RaftLog log = log(Long.MAX_VALUE);
    log.appendMatching(0, run(1, 3, 1));
    log.appendMatching(2, run(3, 6, 4));
    log.appendMatching(5, run(6, 8, 6));
    assertEquals(5, log.lastIndexWithTermUpTo(7, 5));
    assertEquals(2, log.lastIndexWithTermUpTo(7, 3));
    assertEquals(0, log.lastIndexWithTermUpTo(7, 0));
  }

  @Test
  void applyingIsContiguousAndLimited_RAFT_16() {
    RaftLog log = log(20);
    log.appendMatching(0, run(1, 5, 1));
    log.commitTo(4);
    List<Entry> first = log.nextCommitted(true);
    assertEquals(2, first.size());
    log.acceptApplying(first, true);
    assertFalse(log.hasNextCommitted(true), "19 of 20 bytes are out");
    log.appliedTo(2, RaftLog.encodedSize(first));
    assertEquals(3, log.nextCommitted(true).getFirst().index());
    assertEquals(List.of(), log.nextCommitted(false), "nothing is stored yet");
  }

  @Test
  void nothingIsAppliedWhileASnapshotIsUnstable_RAFT_15() {
    RaftLog log = log(Long.MAX_VALUE);
    log.restore(new Snapshot(7, 3, ConfState.EMPTY, Bytes.EMPTY));
    assertEquals(8, log.firstIndex());
    assertEquals(7, log.lastIndex());
    assertEquals(3, log.term(7));
    log.appendMatching(7, run(8, 9, 3));
    log.commitTo(8);
    assertFalse(log.hasNextCommitted(true));
    storage.applySnapshot(new Snapshot(7, 3, ConfState.EMPTY, Bytes.EMPTY));
    log.stableSnapshot(7);
    log.appliedTo(7, 0);
    assertEquals(8, log.nextCommitted(true).getFirst().index());
  }

  @Test
  void compactedEntriesReadAsNull() {
    storage.append(run(1, 9, 1));
    storage.compact(4);
    RaftLog log = log(Long.MAX_VALUE);
    assertNull(log.slice(4, 9, 100));
    assertEquals(RaftLog.NO_TERM, log.term(3));
    assertEquals(1, log.term(4));
  }

  @Test
  void entrySizeIsThatOfTheEncodedEntry() {
    assertEquals(6, new Entry(1, 1, EntryType.NORMAL, Bytes.EMPTY).size());
    assertEquals(8, new Entry(128, 300, EntryType.NORMAL, Bytes.EMPTY).size());
    assertEquals(
        2 + 2 + 2 + 1 + 2 + 200,
        new Entry(1, 1, EntryType.NORMAL, Bytes.wrap(new byte[200])).size());
    assertEquals(2 + 2 + 10, new Entry(1, Long.MAX_VALUE, EntryType.NORMAL, Bytes.EMPTY).size());
  }
}
