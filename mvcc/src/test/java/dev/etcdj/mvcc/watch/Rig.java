package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.mvcc.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullUnmarked;

/// A hub over a [ListHistory] on one thread with a clock of its own.
@NullUnmarked
final class Rig {
  static final long SECOND = 1_000_000_000L;
  static final WatchHub.Options OPTIONS =
      new WatchHub.Options(1 << 20, 1000, 2 << 20, 600 * SECOND, 1000);

  final ListHistory store;
  final WatchHub hub;
  long nowNanos;
  int agentWakes;

  /// What the random extra of a tenth is: 0 none, 1 nearly all.
  double jitter;

  Rig() {
    this(OPTIONS, new ListHistory());
  }

  Rig(WatchHub.Options options, ListHistory store) {
    this.store = store;
    this.hub =
        new WatchHub(
            options, () -> nowNanos, bound -> (int) (jitter * (bound - 1)), () -> agentWakes++);
    hub.attach(store);
  }

  static WatchHub.Options options(int ringRevisions, int maxResponseBytes, int catchUpRevisions) {
    return new WatchHub.Options(
        1 << 20, ringRevisions, maxResponseBytes, 600 * SECOND, catchUpRevisions);
  }

  /// A stream that counts its wake-ups.
  final class Client {
    int wakes;
    final WatchStream stream = hub.openStream(() -> wakes++);

    /// All there is without history, printed.
    List<String> read() {
      List<String> texts = new ArrayList<>();
      for (WatchMessage m = stream.poll(); m != null; m = stream.poll()) {
        texts.add(text(m));
      }
      return texts;
    }

    /// All there is, with the history agent running.
    List<String> readAll() {
      List<String> texts = new ArrayList<>(read());
      while (hub.doWork()) {
        texts.addAll(read());
      }
      return texts;
    }
  }

  Client client() {
    return new Client();
  }

  /// One revision of changes: "k=v" puts, "-k" deletes.
  long write(String... changes) {
    List<Event> events =
        store.write(
            Arrays.stream(changes)
                .map(
                    c -> {
                      int at = c.indexOf('=');
                      return at < 0
                          ? new ListHistory.Change(c.substring(1), null)
                          : new ListHistory.Change(c.substring(0, at), c.substring(at + 1));
                    })
                .toList());
    if (!events.isEmpty()) {
      hub.committed(store.revision(), events);
    }
    return store.revision();
  }

  static Spec key(String key) {
    return new Spec(key, "");
  }

  static Spec range(String key, String end) {
    return new Spec(key, end);
  }

  static Spec everything() {
    return new Spec("\0", "\0");
  }

  /// Builds a [WatchSpec].
  static final class Spec {
    private final String key;
    private final String end;
    private long start;
    private long id;
    private boolean prevKv;
    private boolean progress;
    private boolean fragment;
    private boolean noPut;
    private boolean noDelete;

    private Spec(String key, String end) {
      this.key = key;
      this.end = end;
    }

    Spec from(long revision) {
      start = revision;
      return this;
    }

    Spec id(long watchId) {
      id = watchId;
      return this;
    }

    Spec prevKv(boolean on) {
      prevKv = on;
      return this;
    }

    Spec progress() {
      progress = true;
      return this;
    }

    Spec fragment() {
      fragment = true;
      return this;
    }

    Spec noPut(boolean on) {
      noPut = on;
      return this;
    }

    Spec noDelete(boolean on) {
      noDelete = on;
      return this;
    }

    WatchSpec spec() {
      return new WatchSpec(
          ByteString.copyFromUtf8(key),
          ByteString.copyFromUtf8(end),
          start,
          id,
          prevKv,
          progress,
          fragment,
          noPut,
          noDelete);
    }
  }

  static String text(WatchMessage message) {
    return switch (message) {
      case WatchMessage.Created m -> "created " + m.watchId() + " @" + m.revision();
      case WatchMessage.CreateFailed m ->
          "failed " + m.watchId() + " @" + m.revision() + " " + m.reason();
      case WatchMessage.Cancelled m -> "cancelled " + m.watchId() + " @" + m.revision();
      case WatchMessage.Compacted m -> "compacted " + m.watchId() + " at " + m.compactRevision();
      case WatchMessage.Progress m -> "progress " + m.watchId() + " @" + m.revision();
      case WatchMessage.Events m ->
          m.events().stream()
              .map(Rig::text)
              .collect(
                  Collectors.joining(
                      " ",
                      "events " + m.watchId() + " @" + m.revision() + " ",
                      m.fragment() ? " …" : ""));
    };
  }

  static String text(byte[] wire) {
    var event = parse(wire);
    String before =
        event.hasPrevKv()
            ? "<"
                + event.getPrevKv().getValue().toStringUtf8()
                + "#"
                + event.getPrevKv().getModRevision()
                + ">"
            : "";
    String key = event.getKv().getKey().toStringUtf8();
    String what =
        event.getType() == dev.etcdj.proto.mvccpb.Event.EventType.DELETE
            ? "-" + key
            : key + "=" + event.getKv().getValue().toStringUtf8();
    return what + "#" + event.getKv().getModRevision() + before;
  }

  static dev.etcdj.proto.mvccpb.Event parse(byte[] wire) {
    try {
      return dev.etcdj.proto.mvccpb.Event.parseFrom(wire);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
