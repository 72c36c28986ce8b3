package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The store now in use. Reads hold a shared lock, so that nobody reads a store while another takes
/// its place. Thread-safe.
final class HistorySource implements WatchEvent.Values {
  private final ReadWriteLock use = new ReentrantReadWriteLock();

  /// Written under the exclusive lock; volatile for [#compactedRevision], which takes none.
  private volatile @Nullable History current;

  /// Runs `replacement` while nobody reads, then goes on with what it gives.
  History replace(Supplier<History> replacement) {
    use.writeLock().lock();
    try {
      History history = replacement.get();
      current = history;
      return history;
    } finally {
      use.writeLock().unlock();
    }
  }

  long compactedRevision() {
    return attached().compactedRevision();
  }

  @Override
  public byte @Nullable [] valueAt(ByteString key, long revision) {
    use.readLock().lock();
    try {
      return attached().valueAt(key, revision);
    } finally {
      use.readLock().unlock();
    }
  }

  /// Reads `from` to at most `to`, whole revisions, fewer once `maxBytes` are reached.
  ///
  /// @return null if `from` fell below the compacted revision before all was read
  @Nullable HistoryChunk load(long from, long to, long maxBytes) {
    use.readLock().lock();
    try {
      History history = attached();
      Loader loader = new Loader(to, maxBytes);
      history.scan(from, to, loader::visit);
      // Compaction is announced before it removes anything: what was read above it is complete.
      return from < history.compactedRevision() ? null : loader.chunk(from);
    } finally {
      use.readLock().unlock();
    }
  }

  private History attached() {
    History history = current;
    if (history == null) {
      throw new IllegalStateException("no store attached");
    }
    return history;
  }

  private static final class Loader {
    private final List<RevisionEvents> done = new ArrayList<>();
    private final List<Event> open = new ArrayList<>();
    private final long maxBytes;
    private long openRevision;
    private long through;
    private long bytes;

    Loader(long to, long maxBytes) {
      this.through = to;
      this.maxBytes = maxBytes;
    }

    boolean visit(Event event) {
      long revision = event.revision().main();
      if (revision != openRevision) {
        finishOpen();
        if (bytes >= maxBytes) {
          through = revision - 1;
          return false;
        }
        openRevision = revision;
      }
      open.add(event);
      return true;
    }

    HistoryChunk chunk(long from) {
      finishOpen();
      return new HistoryChunk(from, through, done.toArray(new RevisionEvents[0]), bytes);
    }

    private void finishOpen() {
      if (!open.isEmpty()) {
        RevisionEvents made = new RevisionEvents(openRevision, open, WatchEvent::encoded);
        done.add(made);
        bytes += made.weight();
        open.clear();
      }
    }
  }
}
