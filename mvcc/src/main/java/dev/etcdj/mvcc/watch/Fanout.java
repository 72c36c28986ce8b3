package dev.etcdj.mvcc.watch;

import dev.etcdj.mvcc.Event;
import java.util.ArrayList;
import java.util.List;

/// Takes each committed revision into the ring and marks the synced watchers it concerns.
///
/// One short lock (this object's monitor) orders commits against watchers coming and going: a
/// watcher joins with everything up to `last` behind it and everything above marked, so nothing
/// falls between and nothing comes twice. `last` moves only after all marks of its revision are
/// set; so a stream that reads `last` first and finds a watcher unmarked knows that it has seen
/// everything up to there, which makes progress messages true (WATCH-70).
final class Fanout {
  /// Marked revisions a watcher may be behind before it is taken out of the index and becomes a
  /// position that costs nothing until its stream asks again.
  private static final int MAX_PENDING = 128;

  final RecentEvents recent;

  private final WatcherIndex index = new WatcherIndex();

  /// Read by every stream's owner and by watch-sync.
  private volatile long last;

  private int open;

  /// Scratch of [#committed]; the apply loop.
  private final List<WatcherSet> concerned = new ArrayList<>();

  private final List<ClientStream> touched = new ArrayList<>();

  Fanout(RecentEvents recent) {
    this.recent = recent;
  }

  /// Latest revision whose events are on their way.
  long last() {
    return last;
  }

  void committed(long revision, List<Event> events) {
    synchronized (this) {
      assert revision > last : revision + " after " + last;
      if (open == 0) {
        // Whoever comes later reads history; kept events would only be moved by the collector.
        recent.clear();
        last = revision;
        return;
      }
      RevisionEvents made = new RevisionEvents(revision, events, WatchEvent::new);
      recent.add(made);
      if (index.size() > 0) {
        for (WatchEvent event : made.events) {
          index.collect(event, concerned);
          for (WatcherSet set : concerned) {
            mark(set, event);
          }
          concerned.clear();
        }
      }
      last = revision;
    }
    for (ClientStream stream : touched) {
      stream.signal();
    }
    touched.clear();
  }

  private void mark(WatcherSet set, WatchEvent event) {
    long revision = event.revision();
    for (int i = 0; i < set.size(); ) {
      Watcher watcher = set.get(i);
      if (watcher.passes(event)
          && watcher.startRevision <= revision
          && watcher.lastMatched != revision) {
        mark(watcher, revision);
      }
      // One that was taken out left its place to another.
      i += watcher.slot == i ? 1 : 0;
    }
  }

  private void mark(Watcher watcher, long revision) {
    watcher.lastMatched = revision;
    watcher.matched++;
    if (watcher.tryQueue()) {
      watcher.firstMatched = revision;
      watcher.stream.push(watcher);
    } else if (watcher.matched - watcher.delivered > MAX_PENDING) {
      detach(watcher, watcher.firstMatched);
    }
    if (watcher.stream.touchedBy(revision)) {
      touched.add(watcher.stream);
    }
  }

  private void detach(Watcher watcher, long resumeFrom) {
    index.remove(watcher);
    watcher.resumeFrom = resumeFrom;
    watcher.detached = true;
  }

  /// A store with everything up to `revision` took the place of the old one: all synced watchers
  /// go on from the new store's history (WATCH-85).
  void reset(long revision) {
    List<Watcher> all;
    synchronized (this) {
      recent.clear();
      all = index.all();
      for (Watcher watcher : all) {
        detach(watcher, watcher.isQueued() ? watcher.firstMatched : last + 1);
        if (watcher.tryQueue()) {
          watcher.stream.push(watcher);
        }
      }
      last = revision;
    }
    for (Watcher watcher : all) {
      watcher.stream.signal();
    }
  }

  /// Takes a new watcher in.
  ///
  /// @return the current revision, -1 if the stream is closed
  synchronized long admit(Watcher watcher) {
    if (watcher.stream.isClosed()) {
      return -1;
    }
    open++;
    watcher.stream.watchers.put(watcher.id, watcher);
    watcher.next = watcher.startRevision == 0 ? last + 1 : watcher.startRevision;
    settle(watcher);
    return last;
  }

  /// Makes a watcher synced if nothing is between it and the next commit.
  boolean settle(Watcher watcher) {
    // The common case, far behind, needs no lock.
    return watcher.next > last && settleNow(watcher);
  }

  private synchronized boolean settleNow(Watcher watcher) {
    if (watcher.next <= last || watcher.stream.isClosed()) {
      return false;
    }
    watcher.detached = false;
    watcher.matched = 0;
    watcher.delivered = 0;
    watcher.lastMatched = 0;
    watcher.firstMatched = 0;
    watcher.synced = true;
    index.add(watcher);
    watcher.release();
    return true;
  }

  /// Takes a synced watcher out of the index; its stream replays from where it stands.
  synchronized void unsettle(Watcher watcher) {
    if (index.contains(watcher)) {
      index.remove(watcher);
    }
    watcher.detached = true;
  }

  /// Takes a watcher out for good; false if its stream has closed.
  synchronized boolean remove(Watcher watcher) {
    if (watcher.stream.isClosed() || watcher.stream.watchers.remove(watcher.id) == null) {
      return false;
    }
    open--;
    if (index.contains(watcher)) {
      index.remove(watcher);
    }
    return true;
  }

  /// Takes out all watchers of a closed stream, a slice at a time so that no commit waits long.
  void removeAll(ClientStream stream) {
    var left = stream.watchers.values().iterator();
    boolean more = true;
    while (more) {
      synchronized (this) {
        for (int i = 0; i < 128 && left.hasNext(); i++) {
          Watcher watcher = left.next();
          open--;
          if (index.contains(watcher)) {
            index.remove(watcher);
          }
        }
        more = left.hasNext();
      }
    }
  }

  synchronized int open() {
    return open;
  }

  synchronized int unsynced() {
    return open - index.size();
  }
}
