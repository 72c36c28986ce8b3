package dev.etcdj.testing.jetcd;

import static dev.etcdj.testing.jetcd.Checks.bytes;
import static dev.etcdj.testing.jetcd.Checks.check;
import static dev.etcdj.testing.jetcd.Checks.get;
import static dev.etcdj.testing.jetcd.Checks.reaches;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// What a watch can be asked for.
final class Watches {
    private final Client client;
    private final KV kv;
    private final Watch watch;

    private Watches(Client client) {
        this.client = client;
        kv = client.getKVClient();
        watch = client.getWatchClient();
    }

    static void run(Client client) {
        Watches watches = new Watches(client);
        watches.history();
        watches.notices();
        watches.compacted();
    }

    static String show(WatchEvent event) {
        var kv = event.getKeyValue();
        return kv.getModRevision() + " " + event.getEventType() + " " + kv.getKey() + "=" + kv.getValue();
    }

    /// The client goes on by itself after most breaks; where it does not, the answers stay away.
    static void broke(Throwable why) {
        System.out.println("-- a watch's stream broke: " + why.getMessage());
    }

    private long put(String key, String value) {
        return get(kv.put(bytes(key), bytes(value))).getHeader().getRevision();
    }

    private Watch.Watcher events(String key, WatchOption.Builder option, List<WatchEvent> into) {
        return watch.watch(bytes(key), option.build(), answer -> into.addAll(answer.getEvents()), Watches::broke);
    }

    private static WatchOption.Builder from(long revision) {
        return WatchOption.builder().withRevision(revision);
    }

    private void history() {
        long first = put("watch/a", "1");
        put("watch/a", "2");
        List<WatchEvent> events = new CopyOnWriteArrayList<>();
        try (var _ = events("watch/", from(first).isPrefix(true).withPrevKV(true), events)) {
            get(kv.delete(bytes("watch/a")));
            reaches(() -> events.size() >= 3);
            check("watch with history", "[%d PUT watch/a=1, %d PUT watch/a=2, %d DELETE watch/a=]".formatted(first, first + 1, first + 2),
                    events.stream().map(Watches::show).toList());
            check("previous value of an event", "2", events.get(2).getPrevKV().getValue());
        }
        List<WatchEvent> deletes = new CopyOnWriteArrayList<>();
        try (var _ = events("watch/a", from(first).withNoPut(true), deletes)) {
            check("deletes only", true, reaches(() -> !deletes.isEmpty()));
            check("the delete", first + 2 + " DELETE watch/a=", show(deletes.getFirst()));
        }
        List<WatchEvent> puts = new CopyOnWriteArrayList<>();
        List<WatchEvent> range = new CopyOnWriteArrayList<>();
        try (var _ = events("watch/a", from(first + 1).withNoDelete(true), puts);
                var _ = events("watch/a", from(first).withRange(bytes("watch/b")), range)) {
            put("watch/b", "not in the range");
            long last = put("watch/a", "3");
            reaches(() -> puts.size() >= 2 && range.size() >= 4);
            check("puts only", "[%d PUT watch/a=2, %d PUT watch/a=3]".formatted(first + 1, last),
                    puts.stream().map(Watches::show).toList());
            check("a range", "[%d, %d, %d, %d]".formatted(first, first + 1, first + 2, last),
                    range.stream().map(e -> e.getKeyValue().getModRevision()).toList());
        }
        List<WatchEvent> future = new CopyOnWriteArrayList<>();
        long start = put("watch/c", "now") + 2;
        try (var _ = events("watch/c", from(start), future)) {
            put("watch/c", "too early");
            put("watch/c", "in time");
            check("a watch from the future", true, reaches(() -> !future.isEmpty()));
            check("its first event", start + " PUT watch/c=in time", show(future.getFirst()));
        }
    }

    /// Progress is reported to a watcher that has caught up, so it is asked for again until it is.
    private void notices() {
        List<WatchResponse> notices = new CopyOnWriteArrayList<>();
        var option = WatchOption.builder().withCreateNotify(true).withProgressNotify(true);
        try (var watcher = watch.watch(bytes("watch/n"), option.build(), notices::add, Watches::broke)) {
            check("created notice", true, reaches(() -> !notices.isEmpty() && notices.getFirst().isCreatedNotify()));
            long revision = put("watch/m", "1");
            check("progress on request", true, reaches(() -> {
                watcher.requestProgress();
                return notices.stream().anyMatch(n -> n.isProgressNotify() && n.getHeader().getRevision() >= revision);
            }));
        }
    }

    private void compacted() {
        long first = put("watch/d", "1");
        long second = put("watch/d", "2");
        get(kv.compact(second));
        List<String> errors = new CopyOnWriteArrayList<>();
        List<String> ends = new CopyOnWriteArrayList<>();
        var option = WatchOption.builder().withRevision(first).build();
        try (var _ = client.getWatchClient().watch(bytes("watch/d"), option, Watch.listener(
                answer -> errors.add("an answer"),
                why -> errors.add(why.getClass().getSimpleName() + " " + ((CompactedException) why).getCompactedRevision()),
                () -> ends.add("ended")))) {
            check("a compacted start ends the watch", true, reaches(() -> !ends.isEmpty()));
            check("where it could start", "[CompactedException " + second + "]", errors);
        }
    }
}
