package dev.etcdj.server.main;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/// Exit statuses after a signal, as etcd's: the signal's own, but 0 as the first process.
class SignalsTest {
  @Test
  void dyingFromASignalShowsIt() {
    assertEquals(143, Signals.exitStatus(4711, 15));
    assertEquals(130, Signals.exitStatus(4711, 2));
  }

  @Test
  void theFirstProcessOfAContainerEndsWell() {
    assertEquals(0, Signals.exitStatus(1, 15));
  }
}
