package dev.etcdj.raft.tracker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.InvariantViolation;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Guarantee: the window and the states of flow control. Source: RAFT-52, RAFT-54..57, RAFT-66.
class ProgressTest {

  @Test
  void windowEqualsASimpleQueue() {
    Random random = new Random(7);
    for (int run = 0; run < 200; run++) {
      int maxCount = 1 + random.nextInt(20);
      long maxBytes = random.nextBoolean() ? 0 : 1 + random.nextInt(50);
      Inflights window = new Inflights(maxCount, maxBytes);
      ArrayDeque<long[]> model = new ArrayDeque<>();
      long next = 1;
      for (int i = 0; i < 200; i++) {
        long bytes = model.stream().mapToLong(each -> each[1]).sum();
        boolean full = model.size() == maxCount || (maxBytes > 0 && bytes >= maxBytes);
        assertEquals(full, window.isFull());
        assertEquals(model.size(), window.count());
        assertEquals(bytes, window.bytes());
        if (!full && random.nextInt(3) > 0) {
          long size = random.nextInt(20);
          window.add(next, size);
          model.add(new long[] {next, size});
          next += 1 + random.nextInt(3);
        } else {
          long through = Math.max(0, next - random.nextInt(8));
          window.freeThrough(through);
          model.removeIf(each -> each[0] <= through);
        }
      }
    }
  }

  @Test
  void aFullWindowTakesNothing() {
    Inflights window = new Inflights(1, 0);
    window.add(1, 0);
    assertThrows(InvariantViolation.class, () -> window.add(2, 0));
  }

  private static Progress at(long next) {
    return new Progress(2, next, new Inflights(2, 0));
  }

  @Test
  void probePausesAfterOneAppend() {
    Progress progress = at(5);
    progress.sentEntries(0, 0);
    assertFalse(progress.isPaused());
    progress.sentEntries(3, 0);
    assertTrue(progress.isPaused());
    assertEquals(5, progress.next());
    progress.unpause();
    assertFalse(progress.isPaused());
  }

  @Test
  void replicatePipelinesUpToTheWindow() {
    Progress progress = at(1);
    progress.transitionToReplicate();
    progress.sentEntries(3, 0);
    progress.sentEntries(1, 0);
    assertEquals(5, progress.next());
    assertTrue(progress.isPaused());
    assertTrue(progress.acknowledge(3));
    progress.inflights().freeThrough(3);
    assertFalse(progress.isPaused());
    assertFalse(progress.acknowledge(3));
  }

  @Test
  void refusalInReplicateIsStaleAtOrBelowMatch() {
    Progress progress = at(1);
    progress.transitionToReplicate();
    progress.acknowledge(5);
    assertFalse(progress.reject(5, 4));
    assertTrue(progress.reject(6, 2));
    assertEquals(6, progress.next());
  }

  @Test
  void refusalInProbeMustBeOfWhatWasProbed() {
    Progress progress = at(10);
    assertFalse(progress.reject(8, 3));
    assertTrue(progress.reject(9, 3));
    assertEquals(4, progress.next());
    progress.acknowledge(1);
    assertTrue(progress.reject(3, 0));
    assertEquals(2, progress.next(), "never at or below match");
  }

  @Test
  void snapshotEndsBehindItOrWhereItBegan() {
    Progress progress = at(3);
    progress.acknowledge(2);
    progress.transitionToSnapshot(9);
    assertEquals(10, progress.next());
    assertTrue(progress.isPaused());
    assertFalse(progress.reject(9, 1), "sent before the snapshot");
    progress.transitionToProbe();
    assertEquals(10, progress.next());

    progress.transitionToSnapshot(9);
    progress.transitionToProbeWithoutSnapshot();
    assertEquals(3, progress.next());
    progress.checkInvariants();
  }

  @Test
  void commitIsToldOnlyWhereItCanRise() {
    Progress progress = at(1);
    progress.transitionToReplicate();
    progress.sentEntries(5, 0);
    progress.sentCommit(2);
    assertTrue(progress.canRaiseCommit(3));
    assertFalse(progress.canRaiseCommit(2));
    progress.sentCommit(5);
    assertFalse(progress.canRaiseCommit(9), "it has nothing above 5");
  }
}
