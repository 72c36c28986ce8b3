package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.Revision;
import dev.etcdj.proto.mvccpb.KeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;

/// A versioned store as simple as can be: the list of all changes. Also the model that watches are
/// checked against. Compaction is announced first and removes later, as in the real one.
@NullUnmarked
final class ListHistory implements History {
  /// One change asked for; value null: a delete.
  record Change(String key, String value) {}

  private final List<Event> stored = new ArrayList<>();

  /// Every change ever, whatever was compacted.
  private final List<Event> everything = new ArrayList<>();

  private final Map<ByteString, TreeMap<Long, Event>> byKey = new HashMap<>();
  private long revision = 1;
  private long compacted = -1;
  long scans;
  long lookups;

  /// Writes one revision; deletes of absent keys change nothing, and with no change there is no
  /// revision.
  synchronized List<Event> write(List<Change> changes) {
    long main = revision + 1;
    List<Event> events = new ArrayList<>();
    for (Change change : changes) {
      Event event = event(change, main, events.size());
      if (event != null) {
        events.add(event);
        byKey.computeIfAbsent(event.key(), key -> new TreeMap<>()).put(main, event);
      }
    }
    if (!events.isEmpty()) {
      stored.addAll(events);
      everything.addAll(events);
      revision = main;
    }
    return events;
  }

  private Event event(Change change, long main, long sub) {
    ByteString key = ByteString.copyFromUtf8(change.key());
    var versions = byKey.get(key);
    Event before = versions == null || versions.isEmpty() ? null : versions.lastEntry().getValue();
    boolean live = before != null && !before.delete();
    Revision at = new Revision(main, sub);
    if (change.value() == null) {
      byte[] kv = KeyValue.newBuilder().setKey(key).build().toByteArray();
      return live ? new Event(key, at, true, false, kv) : null;
    }
    KeyValue old = live ? parse(before.keyValue()) : KeyValue.getDefaultInstance();
    KeyValue kv =
        KeyValue.newBuilder()
            .setKey(key)
            .setCreateRevision(live ? old.getCreateRevision() : main)
            .setModRevision(main)
            .setVersion(old.getVersion() + 1)
            .setValue(ByteString.copyFromUtf8(change.value()))
            .build();
    return new Event(key, at, false, !live, kv.toByteArray());
  }

  static KeyValue parse(byte[] kv) {
    try {
      return KeyValue.parseFrom(kv);
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  synchronized void compact(long at) {
    assert at > compacted && at <= revision;
    compacted = at;
  }

  /// Removes what compaction made unreachable: superseded versions up to it, tombstones below it
  /// (KV-103).
  synchronized void purge() {
    stored.removeIf(
        event -> {
          long main = event.revision().main();
          if (main > compacted) {
            return false;
          }
          var newestAt = versions(event).floorEntry(compacted).getValue().revision();
          boolean newest = newestAt.equals(event.revision());
          return !newest || (event.delete() && main < compacted);
        });
  }

  private TreeMap<Long, Event> versions(Event event) {
    return byKey.get(event.key());
  }

  /// The change with this number since ever, null when there are not so many.
  synchronized Event change(int number) {
    return number < everything.size() ? everything.get(number) : null;
  }

  /// An independent store with the same past, whatever was compacted here included.
  synchronized ListHistory copy() {
    ListHistory copy = new ListHistory();
    copy.everything.addAll(everything);
    copy.stored.addAll(stored);
    byKey.forEach((key, versions) -> copy.byKey.put(key, new TreeMap<>(versions)));
    copy.revision = revision;
    copy.compacted = compacted;
    return copy;
  }

  @Override
  public synchronized long revision() {
    return revision;
  }

  @Override
  public synchronized long compactedRevision() {
    return compacted;
  }

  @Override
  public void scan(long from, long to, KvStore.HistoryVisitor visitor) {
    List<Event> found = new ArrayList<>();
    synchronized (this) {
      scans++;
      for (int i = firstAt(from); i < stored.size(); i++) {
        Event event = stored.get(i);
        if (event.revision().main() > to) {
          break;
        }
        found.add(event);
      }
    }
    for (Event event : found) {
      if (!visitor.visit(event)) {
        return;
      }
    }
  }

  private int firstAt(long main) {
    int low = 0;
    int high = stored.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (stored.get(middle).revision().main() < main) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public synchronized byte[] valueAt(ByteString key, long at) {
    lookups++;
    var versions = byKey.get(key);
    if (at < compacted || versions == null) {
      return null;
    }
    var found = versions.floorEntry(at);
    return found == null || found.getValue().delete() ? null : found.getValue().keyValue();
  }
}
