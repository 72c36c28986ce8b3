package dev.etcdj.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.proto.mvccpb.Event;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What clients saw. Every written value is unique, and nothing else writes to the cluster, so the
/// watch stream must hold one event for each revision from 2 on.
final class History {
  /// A put that was acknowledged with `revision`.
  record Acknowledged(String key, String value, long revision) {}

  private final ConcurrentLinkedQueue<Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();
  private final List<Event> events = new java.util.ArrayList<>();

  void acknowledged(String key, String value, long revision) {
    acknowledged.add(new Acknowledged(key, value, revision));
  }

  int acknowledgedCount() {
    return acknowledged.size();
  }

  synchronized void seen(List<Event> batch) {
    events.addAll(batch);
  }

  synchronized long lastSeenRevision() {
    return events.isEmpty() ? 1 : events.getLast().getKv().getModRevision();
  }

  /// Revisions 2, 3, 4 … each once, in order: nothing lost, nothing twice, nothing out of order
  /// (WATCH-43, WATCH-110); every acknowledged put at its own revision with its own value; no
  /// value applied twice.
  synchronized void check() {
    Map<Long, Event> byRevision = new HashMap<>();
    Set<String> values = new HashSet<>();
    long expected = 2;
    for (Event event : events) {
      long revision = event.getKv().getModRevision();
      assertEquals(expected, revision, "the watch stream has a gap, a repetition or a disorder");
      expected++;
      byRevision.put(revision, event);
      assertTrue(
          values.add(event.getKv().getValue().toStringUtf8()),
          () -> "applied twice: " + event.getKv().getValue().toStringUtf8());
    }
    Set<Long> revisions = new HashSet<>();
    for (Acknowledged put : acknowledged) {
      assertTrue(revisions.add(put.revision()), () -> "revision given twice: " + put);
      Event event = byRevision.get(put.revision());
      assertTrue(event != null, () -> "acknowledged and lost: " + put);
      assertEquals(put.key(), event.getKv().getKey().toStringUtf8(), "key at its revision");
      assertEquals(put.value(), event.getKv().getValue().toStringUtf8(), "value at its revision");
    }
  }

  /// The newest value of each key, as the events tell.
  synchronized Map<String, String> state() {
    Map<String, String> state = new HashMap<>();
    for (Event event : events) {
      state.put(event.getKv().getKey().toStringUtf8(), event.getKv().getValue().toStringUtf8());
    }
    return state;
  }
}
