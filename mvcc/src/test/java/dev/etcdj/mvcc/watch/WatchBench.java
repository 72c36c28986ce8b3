package dev.etcdj.mvcc.watch;

import dev.etcdj.mvcc.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Measures the process's CPU (compiler and collector included) per delivered event, driven by one
/// thread, without a network: `main` prints four lines a round, of which the first is cold. Not a
/// test.
final class WatchBench {
  private static final String VALUE = "v".repeat(256);

  private final ListHistory store = new ListHistory();
  private final List<WatchStream> streams = new ArrayList<>();
  private final WatchHub hub =
      new WatchHub(
          new WatchHub.Options(16 << 20, 10_000, 2 << 20, 600_000_000_000L, 1000),
          System::nanoTime,
          bound -> 0,
          () -> {});
  private long woken;

  private WatchBench() {
    hub.attach(store);
  }

  public static void main(String[] args) {
    for (int round = 0; round < 3; round++) {
      new WatchBench().fanOut("1,000 watchers on one key", 10, 100, 1, 3000);
      new WatchBench().fanOut("10,000 watchers on 10,000 keys", 10, 1000, 10_000, 200_000);
      new WatchBench().catchUp(100, 200_000);
      new WatchBench().stalled(1000, 100_000);
    }
  }

  private static long cpuNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  private void fanOut(String name, int connections, int watchersEach, int keys, int writes) {
    int number = 0;
    for (int i = 0; i < connections; i++) {
      WatchStream stream = hub.openStream(() -> woken++);
      streams.add(stream);
      for (int j = 0; j < watchersEach; j++) {
        stream.create(Rig.key("key-" + number++ % keys).spec());
        stream.poll();
      }
      stream.poll();
    }
    List<List<Event>> events = writes(writes, keys);
    long sent = 0;
    long marking = 0;
    long start = cpuNanos();
    for (List<Event> each : events) {
      long before = System.nanoTime();
      hub.committed(each.get(0).revision().main(), each);
      marking += System.nanoTime() - before;
      sent += drain();
    }
    report(name, start, sent, marking, writes);
  }

  private void catchUp(int watchers, int revisions) {
    for (List<Event> each : writes(revisions, 1000)) {
      hub.committed(each.get(0).revision().main(), each);
    }
    for (int i = 0; i < watchers; i++) {
      WatchStream stream = hub.openStream(() -> woken++);
      stream.create(Rig.range("key-", "key.").from(2).spec());
      streams.add(stream);
    }
    long sent = 0;
    long start = cpuNanos();
    boolean worked = true;
    while (worked) {
      sent += drain();
      worked = hub.doWork();
    }
    report(watchers + " watchers " + revisions + " revisions behind", start, sent, 0, revisions);
    System.out.println("    scans " + store.scans);
  }

  private void stalled(int watchers, int writes) {
    for (int i = 0; i < watchers; i++) {
      WatchStream stream = hub.openStream(() -> woken++);
      stream.create(Rig.key("key-0").spec());
      stream.poll();
      stream.poll();
    }
    List<List<Event>> events = writes(writes, 1);
    long start = cpuNanos();
    for (List<Event> each : events) {
      hub.committed(each.get(0).revision().main(), each);
    }
    report(watchers + " stalled watchers", start, writes, 0, writes);
  }

  private List<List<Event>> writes(int count, int keys) {
    List<List<Event>> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(store.write(List.of(new ListHistory.Change("key-" + i % keys, VALUE))));
    }
    return all;
  }

  private long drain() {
    long sent = 0;
    for (WatchStream stream : streams) {
      for (var m = stream.poll(); m != null; m = stream.poll()) {
        sent += m instanceof WatchMessage.Events e ? e.events().size() : 0;
      }
    }
    return sent;
  }

  private void report(String name, long start, long sent, long marking, long writes) {
    double micros = (cpuNanos() - start) / 1000.0;
    System.out.printf(
        "%s: %,d events, %.0f ms CPU, %.3f us CPU per event, mark %.2f us; %d wakes%n",
        name, sent, micros / 1000, micros / sent, marking / 1000.0 / writes, woken);
  }
}
