package dev.etcdj.mvcc.watch;

import dev.etcdj.mvcc.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// All events of one revision, in execution order. Immutable but for what its events learn.
final class RevisionEvents {
  final long revision;
  final WatchEvent[] events;

  /// The usual single event as a list, made once for all watchers.
  private volatile @Nullable List<byte[]> single;

  /// @param as how an event is held
  RevisionEvents(long revision, List<Event> from, Function<Event, WatchEvent> as) {
    this.revision = revision;
    this.events = new WatchEvent[from.size()];
    for (int i = 0; i < events.length; i++) {
      events[i] = as.apply(from.get(i));
      assert events[i].revision() == revision : events[i].revision() + " in " + revision;
    }
  }

  long weight() {
    long bytes = 96;
    for (WatchEvent event : events) {
      bytes += event.weight();
    }
    return bytes;
  }

  /// Wire-form events `watcher` asks for, prev_kv included if it wants that.
  List<byte[]> wiresFor(Watcher watcher, RecentEvents ring, WatchEvent.Values values) {
    if (events.length == 1 && !watcher.prevKv) {
      return watcher.wants(events[0]) ? single() : List.of();
    }
    List<byte[]> wires = new ArrayList<>();
    for (WatchEvent event : events) {
      if (watcher.wants(event)) {
        wires.add(watcher.prevKv ? ring.wireWithPrevious(event, values) : event.wire());
      }
    }
    return wires;
  }

  private List<byte[]> single() {
    List<byte[]> made = single;
    if (made == null) {
      made = List.of(events[0].wire());
      single = made;
    }
    return made;
  }
}
