package dev.etcdj.mvcc.watch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/// Commits, polls, creates, cancels, compactions, snapshots, ticks and the history agent in random
/// order on one thread, small rings and batches, checked by [StreamChecker]. At the end only
/// wake-ups drive, so a lost one shows. Replay one seed with `-Dseed=`.
@NullUnmarked
class WatchInterleavingTest {
  private static final int SEEDS = 120;
  private static final int STEPS = 250;

  @Test
  void guaranteesHoldInAnyOrder() { // WATCH-31, 34, 43, 44, 70..76, 84, 85, 90..94, 110
    Long only = Long.getLong("seed");
    long[] totals = new long[3];
    for (long seed = only == null ? 0 : only; seed < (only == null ? SEEDS : only + 1); seed++) {
      try {
        new Run(seed).run(totals);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    if (only == null) {
      // The test would be void if these never happened.
      assertTrue(totals[0] > 10_000, () -> totals[0] + " events");
      assertTrue(totals[1] > 500, () -> totals[1] + " progress messages");
      assertTrue(totals[2] > 50, () -> totals[2] + " ends by compaction");
    }
  }

  private static final class Run {
    private final Random random;
    private final WatchHub hub;
    private final int catchUp;
    private final List<Client> clients = new ArrayList<>();
    private ListHistory store = new ListHistory();
    private long nowNanos;
    private boolean agentWoken;

    private final class Client {
      final StreamChecker checker = new StreamChecker(() -> store, catchUp);
      boolean woken = true;
      final WatchStream stream = hub.openStream(() -> woken = true);

      void poll(int most) {
        woken = false;
        for (int i = 0; i < most; i++) {
          WatchMessage message = stream.poll();
          if (message == null) {
            return;
          }
          checker.check(message);
        }
        woken = true;
      }
    }

    Run(long seed) {
      random = new Random(seed);
      catchUp = 1 + random.nextInt(12);
      int ringBytes = random.nextInt(4) == 0 ? 600 : 1 << 20;
      var options =
          new WatchHub.Options(
              ringBytes, 1 + random.nextInt(30), 150 + random.nextInt(300), 1000, catchUp);
      hub = new WatchHub(options, () -> nowNanos, random::nextInt, () -> agentWoken = true);
      hub.attach(store);
      for (int i = 0; i < 3; i++) {
        clients.add(new Client());
      }
    }

    void run(long[] totals) {
      for (int i = 0; i < STEPS; i++) {
        step();
      }
      drain();
      for (Client client : clients) {
        client.checker.checkComplete();
        totals[0] += client.checker.events;
        totals[1] += client.checker.progress;
        totals[2] += client.checker.compactions;
        client.stream.close();
      }
      assertTrue(hub.watcherCount() == 0 && hub.unsyncedCount() == 0);
    }

    private void step() {
      Client client = clients.get(random.nextInt(clients.size()));
      switch (random.nextInt(24)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> write();
        case 8 -> {
          for (int i = random.nextInt(200); i > 0; i--) {
            write();
          }
        }
        case 9, 10, 11 -> client.poll(1 + random.nextInt(5));
        case 12 -> client.poll(Integer.MAX_VALUE);
        case 13, 14, 15 -> hub.doWork();
        case 16, 17 -> create(client);
        case 18 -> client.stream.cancel(random.nextInt(6));
        case 19, 20 -> client.stream.requestProgress();
        case 21 -> nowNanos += random.nextInt(700);
        case 22 -> compact();
        default -> rare(client);
      }
    }

    private void rare(Client client) {
      switch (random.nextInt(4)) {
        case 0 -> {
          client.stream.close();
          clients.remove(client);
          clients.add(new Client());
        }
        case 1 -> installSnapshot();
        default -> store.purge();
      }
    }

    private void create(Client client) {
      if (!client.stream.acceptsControl()) {
        return;
      }
      String from = key();
      String end =
          switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> "\0";
            default -> key();
          };
      long start =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> Math.max(0, store.revision() + random.nextInt(8) - 4);
            case 2 -> Math.max(1, store.compactedRevision());
            default -> 1 + random.nextLong(store.revision());
          };
      WatchSpec spec =
          new WatchSpec(
              ByteString.copyFromUtf8(from),
              ByteString.copyFromUtf8(end),
              start,
              random.nextInt(3) == 0 ? random.nextInt(6) : 0,
              random.nextInt(3) == 0,
              random.nextBoolean(),
              random.nextBoolean(),
              random.nextInt(5) == 0,
              random.nextInt(5) == 0);
      client.checker.asked(spec);
      client.stream.create(spec);
    }

    private void write() {
      List<Event> events = store.write(changes());
      if (!events.isEmpty()) {
        hub.committed(store.revision(), events);
      }
    }

    private List<ListHistory.Change> changes() {
      List<ListHistory.Change> changes = new ArrayList<>();
      int first = random.nextInt(6);
      for (int i = random.nextInt(5) == 0 ? 4 : 1; i > 0; i--) {
        String value = random.nextInt(4) == 0 ? null : "v" + random.nextInt(100);
        changes.add(new ListHistory.Change("k" + (first + i) % 6, value));
      }
      return changes;
    }

    private String key() {
      return "k" + random.nextInt(6);
    }

    private void compact() {
      long above = Math.max(1, store.compactedRevision());
      long room = store.revision() - above;
      if (room > 0) {
        long to = above + 1 + random.nextLong(room);
        // Mostly well behind, or nobody would ever be served from history.
        store.compact(random.nextInt(3) == 0 ? to : above + Math.max(1, (to - above) / 4));
        if (random.nextBoolean()) {
          store.purge();
        }
      }
    }

    /// The leader's store: this one's past and perhaps more, perhaps compacted further.
    private void installSnapshot() {
      ListHistory leader = store.copy();
      for (int i = random.nextInt(20); i > 0; i--) {
        leader.write(changes());
      }
      store = leader;
      if (random.nextBoolean()) {
        compact();
      }
      hub.attach(leader);
    }

    private void drain() {
      for (int quiet = 0; quiet < 3; quiet++) {
        for (Client client : clients) {
          if (client.woken) {
            long before = client.checker.messages - client.checker.progress;
            client.poll(Integer.MAX_VALUE);
            quiet = client.checker.messages - client.checker.progress > before ? 0 : quiet;
          }
        }
        if (agentWoken || hub.nanosUntilDue() == 0) {
          agentWoken = false;
          quiet = hub.catchUp.nanosUntilDue() == Long.MAX_VALUE ? quiet : 0;
          while (hub.doWork()) {
            // until there is nothing to do
          }
        }
        nowNanos += HistoryCache.CLAIM_NANOS;
      }
    }
  }
}
