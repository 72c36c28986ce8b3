package dev.etcdj.mvcc.watch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Event;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;

/// Checks what one stream sends against the list of all changes: ordered, unique, complete, atomic
/// per revision (WATCH-43, 44, 110), filtered (WATCH-55), with true previous values (WATCH-57,
/// 58) and true progress (WATCH-70), nothing after an end (WATCH-33, 62).
@NullUnmarked
final class StreamChecker {
  private final Supplier<ListHistory> store;
  private final int maxRevisions;

  /// Specs whose answer has not come yet.
  private final Queue<WatchSpec> asked = new ArrayDeque<>();

  private final Map<Long, Watched> watched = new LinkedHashMap<>();

  /// Parts of a fragmented response so far; null between responses.
  private Watched open;

  long messages;
  long events;
  long progress;
  long compactions;

  private static final class Watched {
    final WatchSpec spec;
    final KeyRange range;
    final long start;

    /// Number of the next change not yet looked at.
    int cursor;

    long lastRevision;
    boolean ended;

    Watched(WatchSpec spec, long created) {
      this.spec = spec;
      this.range = KeyRange.of(spec.key(), spec.rangeEnd());
      this.start = spec.startRevision() == 0 ? created + 1 : spec.startRevision();
    }

    boolean wants(Event event) {
      return event.revision().main() >= start
          && !(event.delete() ? spec.noDelete() : spec.noPut())
          && range.contains(new WatchEvent(event));
    }
  }

  StreamChecker(Supplier<ListHistory> store, int maxRevisions) {
    this.store = store;
    this.maxRevisions = maxRevisions;
  }

  void asked(WatchSpec spec) {
    asked.add(spec);
  }

  void check(WatchMessage message) {
    messages++;
    if (open != null) {
      assertTrue(
          message instanceof WatchMessage.Events e && watched.get(e.watchId()) == open,
          () -> "inside a fragment series: " + Rig.text(message)); // WATCH-94
    }
    switch (message) {
      case WatchMessage.Created m ->
          assertNull(watched.put(m.watchId(), new Watched(asked.remove(), m.revision())));
      case WatchMessage.CreateFailed m -> {
        assertEquals(-1, m.watchId());
        asked.remove();
      }
      case WatchMessage.Cancelled m -> assertNotNull(watched.remove(m.watchId()));
      case WatchMessage.Compacted m -> {
        Watched w = running(m.watchId());
        assertTrue(w.start < m.compactRevision(), () -> "needless " + m);
        w.ended = true;
        compactions++;
      }
      case WatchMessage.Progress m -> {
        progress++;
        if (m.watchId() == -1) {
          watched.values().forEach(w -> checkProgress(w, m.revision()));
        } else {
          assertTrue(running(m.watchId()).spec.progressNotify());
          assertTrue(watched.get(m.watchId()).spec.startRevision() <= m.revision()); // WATCH-73
          checkProgress(watched.get(m.watchId()), m.revision());
        }
      }
      case WatchMessage.Events m -> checkEvents(m);
    }
  }

  private Watched running(long id) {
    Watched w = watched.get(id);
    assertNotNull(w, () -> "unknown watcher " + id);
    assertTrue(!w.ended, () -> "ended watcher " + id);
    return w;
  }

  private void checkProgress(Watched w, long revision) {
    assertTrue(!w.ended, "progress while a watcher was ended by compaction"); // WATCH-75
    assertTrue(revision >= w.lastRevision, "progress goes back"); // WATCH-48
    Event missed = peek(w);
    assertTrue(
        missed == null || missed.revision().main() > revision,
        () -> "progress " + revision + " before " + missed);
  }

  private void checkEvents(WatchMessage.Events m) {
    Watched w = running(m.watchId());
    assertTrue(!m.events().isEmpty(), "empty response"); // WATCH-56
    int revisions = 0;
    long before = open == null ? 0 : w.lastRevision;
    for (byte[] wire : m.events()) {
      var got = Rig.parse(wire);
      Event expected = take(w);
      assertNotNull(expected, () -> "nothing expected, got " + Rig.text(wire));
      assertArrayEquals(
          delivered(expected),
          got.getKv().toByteArray(),
          () -> "expected " + expected.revision() + ", got " + Rig.text(wire));
      assertEquals(expected.delete(), got.getTypeValue() == 1);
      checkPrevious(w, expected, got);
      if (expected.revision().main() != before) {
        revisions++;
        before = expected.revision().main();
      }
      events++;
    }
    w.lastRevision = before;
    assertTrue(revisions <= maxRevisions, "too many revisions in a response"); // WATCH-46
    assertTrue(m.revision() >= before, "header below its events"); // WATCH-48
    open = m.fragment() ? w : null;
    assertTrue(!m.fragment() || w.spec.fragment()); // WATCH-92
    Event next = peek(w);
    if (open == null && next != null) {
      assertTrue(next.revision().main() != before, "revision in two responses"); // WATCH-44
    }
  }

  /// The event's kv: as stored, and of a delete the revision too (WATCH-40).
  private static byte[] delivered(Event event) {
    return event.delete()
        ? dev.etcdj.proto.mvccpb.KeyValue.newBuilder()
            .setKey(event.key())
            .setModRevision(event.revision().main())
            .build()
            .toByteArray()
        : event.keyValue();
  }

  private void checkPrevious(Watched w, Event expected, dev.etcdj.proto.mvccpb.Event got) {
    if (!w.spec.prevKv()) {
      assertTrue(!got.hasPrevKv());
      return;
    }
    ByteString key = expected.key();
    byte[] previous = null;
    long below = expected.revision().main();
    for (int i = 0; ; i++) {
      Event each = store.get().change(i);
      if (each == null || each.revision().main() >= below) {
        break;
      }
      if (each.key().equals(key)) {
        previous = each.delete() ? null : each.keyValue();
      }
    }
    if (got.hasPrevKv()) {
      assertArrayEquals(previous, got.getPrevKv().toByteArray());
    } else {
      boolean compacted = store.get().compactedRevision() > below - 1;
      assertTrue(previous == null || expected.created() || compacted, "prev_kv missing");
    }
  }

  /// The next change this watcher must see, null for none so far.
  private Event peek(Watched w) {
    while (true) {
      Event event = store.get().change(w.cursor);
      if (event == null || w.wants(event)) {
        return event;
      }
      w.cursor++;
    }
  }

  private Event take(Watched w) {
    Event event = peek(w);
    w.cursor++;
    return event;
  }

  /// Whether every running watcher has had everything so far.
  boolean isComplete() {
    return open == null
        && asked.isEmpty()
        && watched.values().stream().allMatch(w -> w.ended || peek(w) == null);
  }

  /// Nothing more will come: every running watcher must have had everything.
  void checkComplete() {
    assertNull(open, "half a fragment series");
    assertTrue(asked.isEmpty(), "unanswered create"); // WATCH-30
    for (Watched w : watched.values()) {
      Event missed = peek(w);
      assertTrue(w.ended || missed == null, () -> "never sent: " + missed + " to " + w.spec);
    }
  }
}
