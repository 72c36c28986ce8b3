package dev.etcdj.mvcc.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// The races proper: a writer, the history agent and two event loops on threads of their own for
/// some thousand revisions, checked by [StreamChecker]. Streams are polled only when woken, so
/// a lost wake-up shows as something never sent.
class WatchStressTest {
  private static final int REVISIONS = 6_000;

  private final ListHistory store = new ListHistory();
  private final Thread agent = new Thread(this::runAgent, "watch-sync");
  private final WatchHub hub =
      new WatchHub(
          new WatchHub.Options(1 << 16, 64, 1 << 20, 2_000_000, 50),
          System::nanoTime,
          new Random(1)::nextInt,
          () -> LockSupport.unpark(agent));
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean writing = true;
  private volatile boolean running = true;

  @Test
  void guaranteesHoldBetweenThreads() throws Exception { // WATCH-32, 43, 70, 110
    hub.attach(store);
    addBallast();
    List<Loop> loops = List.of(new Loop(1), new Loop(2));
    agent.start();
    loops.forEach(Thread::start);
    Thread writer = new Thread(this::runWriter, "apply-loop");
    writer.start();
    writer.join();
    for (Loop loop : loops) {
      loop.join();
    }
    running = false;
    LockSupport.unpark(agent);
    agent.join();
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
    long events = loops.stream().mapToLong(Loop::events).sum();
    long progress = loops.stream().mapToLong(Loop::progress).sum();
    // The test would be void if these never happened; how many do hangs on the machine.
    assertTrue(events > 1_000, () -> events + " events");
    assertTrue(progress > 0, () -> progress + " progress messages");
  }

  /// Watchers of the far future that stand before all others of a range: they make marking take
  /// long, so that a stream often looks while a commit has marked only some.
  private void addBallast() {
    WatchStream ballast = hub.openStream(() -> {});
    for (int i = 0; i < 10_000; i++) {
      ballast.create(Rig.everything().from(1L << 40).spec());
      ballast.poll();
    }
  }

  /// One watcher, a writer that never pauses, a reader that polls only when woken: at almost every
  /// commit the one hands a mark over while the other is about to let the watcher go.
  @Test
  void noMarkIsLostInTheHandOver() throws Exception { // WATCH-110
    List<List<Event>> commits = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      commits.add(store.write(List.of(new ListHistory.Change("k", "v"))));
    }
    WatchHub quick =
        new WatchHub(
            new WatchHub.Options(1 << 28, 200_000, 1 << 20, 1L << 50, 1000),
            System::nanoTime,
            bound -> 0,
            () -> {});
    quick.attach(new ListHistory());
    AtomicBoolean woken = new AtomicBoolean(true);
    WatchStream stream = quick.openStream(() -> woken.set(true));
    stream.create(Rig.key("k").spec());
    Thread writer =
        new Thread(
            () -> commits.forEach(c -> quick.committed(c.get(0).revision().main(), c)),
            "apply-loop");
    writer.start();
    long next = 2;
    long quietSince = System.nanoTime();
    while (next < 100_002 && System.nanoTime() - quietSince < 5_000_000_000L) {
      if (!woken.compareAndSet(true, false)) {
        Thread.onSpinWait();
        continue;
      }
      for (var m = stream.poll(); m != null; m = stream.poll()) {
        if (m instanceof WatchMessage.Events e) {
          for (byte[] wire : e.events()) {
            assertEquals(next++, Rig.parse(wire).getKv().getModRevision());
          }
        }
      }
      quietSince = System.nanoTime();
    }
    writer.join();
    assertEquals(100_002, next, "a mark was lost");
  }

  private void runWriter() {
    Random random = new Random(3);
    try {
      while (store.revision() < REVISIONS && failure.get() == null) {
        List<ListHistory.Change> changes = new ArrayList<>();
        int first = random.nextInt(8);
        for (int i = random.nextInt(4) == 0 ? 3 : 1; i > 0; i--) {
          changes.add(
              new ListHistory.Change(
                  "k" + (first + i) % 8, random.nextInt(5) == 0 ? null : "v" + random.nextInt(99)));
        }
        List<Event> events = store.write(changes);
        if (!events.isEmpty()) {
          hub.committed(store.revision(), events);
        }
        if (random.nextInt(20) == 0) {
          LockSupport.parkNanos(random.nextInt(1_000_000));
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
    writing = false;
  }

  private void runAgent() {
    try {
      while (running) {
        if (!hub.doWork()) {
          LockSupport.parkNanos(Math.min(hub.nanosUntilDue(), 1_000_000_000L));
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /// An event loop with four streams.
  private final class Loop extends Thread {
    private final Random random;
    private final List<Client> clients = new ArrayList<>();

    private final class Client {
      final AtomicBoolean woken = new AtomicBoolean(true);
      final StreamChecker checker = new StreamChecker(() -> store, 50);
      final WatchStream stream =
          hub.openStream(
              () -> {
                woken.set(true);
                LockSupport.unpark(Loop.this);
              });

      boolean poll() {
        if (!woken.compareAndSet(true, false)) {
          return false;
        }
        for (var m = stream.poll(); m != null; m = stream.poll()) {
          checker.check(m);
        }
        return true;
      }
    }

    Loop(int number) {
      super("rpc-" + number);
      random = new Random(number);
      for (int i = 0; i < 4; i++) {
        clients.add(new Client());
      }
    }

    long events() {
      return clients.stream().mapToLong(client -> client.checker.events).sum();
    }

    long progress() {
      return clients.stream().mapToLong(client -> client.checker.progress).sum();
    }

    @Override
    public void run() {
      try {
        while (writing) {
          for (int i = 0; i < 4; i++) {
            request(clients.get(random.nextInt(clients.size())));
          }
          pollAll();
          if (random.nextInt(3) == 0) {
            LockSupport.parkNanos(random.nextInt(300_000));
          }
        }
        settle();
        clients.forEach(client -> client.checker.checkComplete());
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    private boolean pollAll() {
      boolean any = false;
      for (Client client : clients) {
        any |= client.poll();
      }
      return any;
    }

    /// Goes on until everything has come, or it is plain that it never will.
    private void settle() {
      long end = System.nanoTime() + 30_000_000_000L;
      while (System.nanoTime() < end
          && !clients.stream().allMatch(client -> client.checker.isComplete())) {
        if (!pollAll()) {
          LockSupport.parkNanos(5_000_000);
        }
      }
    }

    private void request(Client client) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> create(client);
        case 3 -> client.stream.cancel(random.nextInt(12));
        default -> client.stream.requestProgress();
      }
    }

    private void create(Client client) {
      long revision = store.revision();
      String end = random.nextBoolean() ? "" : "k" + (char) ('1' + random.nextInt(9));
      WatchSpec spec =
          new WatchSpec(
              ByteString.copyFromUtf8("k" + random.nextInt(8)),
              ByteString.copyFromUtf8(end),
              random.nextInt(3) == 0 ? 0 : Math.max(1, revision + 5 - random.nextInt(1000)),
              random.nextInt(12),
              false,
              random.nextBoolean(),
              false,
              random.nextInt(5) == 0,
              random.nextInt(5) == 0);
      client.checker.asked(spec);
      client.stream.create(spec);
    }
  }
}
