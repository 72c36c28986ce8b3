package dev.etcdj.server.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AgentRunnerTest {
  /// Takes numbers off a queue. Not thread-safe on purpose: it notices company.
  private static final class Adder implements Agent {
    final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
    final AtomicInteger inside = new AtomicInteger();
    final Semaphore taken = new Semaphore(0);
    final long dueNanos;
    volatile Thread last = Thread.currentThread();
    long sum;

    Adder(long dueNanos) {
      this.dueNanos = dueNanos;
    }

    @Override
    public String name() {
      return "adder";
    }

    @Override
    public long nanosUntilDue() {
      return dueNanos;
    }

    @Override
    public boolean doWork() {
      assertEquals(1, inside.incrementAndGet(), "two threads in one agent");
      last = Thread.currentThread();
      Integer next = queue.poll();
      if (next != null) {
        sum += next;
        taken.release();
      }
      inside.decrementAndGet();
      return next != null;
    }
  }

  @Test
  void nothingIsLostBetweenWakersAndVisitors() throws Exception {
    for (long dueNanos : new long[] {Long.MAX_VALUE, 50_000}) {
      Adder adder = new Adder(dueNanos);
      List<Throwable> failures = new ArrayList<>();
      try (AgentRunner runner = new AgentRunner(adder, failures::add)) {
        runner.start();
        List<Thread> others = new ArrayList<>();
        for (int seed = 0; seed < 3; seed++) {
          Random random = new Random(seed);
          others.add(
              Thread.ofPlatform()
                  .start(
                      () -> {
                        for (int i = 0; i < 5_000; i++) {
                          adder.queue.add(1);
                          if (random.nextBoolean()) {
                            runner.visit();
                          } else {
                            runner.wake();
                          }
                          if (random.nextInt(50) == 0) {
                            Thread.yield();
                          }
                        }
                      }));
        }
        for (Thread other : others) {
          other.join();
        }
        assertTrue(adder.taken.tryAcquire(15_000, 30, TimeUnit.SECONDS), "a wake-up was lost");
      }
      assertEquals(List.of(), failures);
      assertEquals(15_000, adder.sum);
    }
  }

  @Test
  void aVisitorWorksOnlyWhileTheThreadSleeps() throws Exception {
    Adder adder = new Adder(Long.MAX_VALUE);
    List<Throwable> failures = new ArrayList<>();
    try (AgentRunner runner = new AgentRunner(adder, failures::add)) {
      runner.start();
      // Until its thread has gone to sleep the visit is a wake-up.
      Thread visitor = Thread.currentThread();
      do {
        adder.queue.add(1);
        runner.visit();
        assertTrue(adder.taken.tryAcquire(10, TimeUnit.SECONDS));
      } while (adder.last != visitor);
    }
    assertEquals(List.of(), failures);
  }

  /// Work that comes while a visitor is about to leave is its thread's.
  @Test
  void aWakeUpDuringAVisitIsNotLost() throws Exception {
    Thread visitor = Thread.currentThread();
    AtomicReference<AgentRunner> self = new AtomicReference<>();
    CountDownLatch seen = new CountDownLatch(1);
    boolean[] visited = {false};
    Agent agent =
        new Agent() {
          @Override
          public String name() {
            return "woken";
          }

          @Override
          public boolean doWork() {
            if (Thread.currentThread() == visitor) {
              visited[0] = true;
              self.get().wake();
            } else if (visited[0]) {
              seen.countDown();
            }
            return false;
          }
        };
    List<Throwable> failures = new ArrayList<>();
    try (AgentRunner runner = new AgentRunner(agent, failures::add)) {
      self.set(runner);
      runner.start();
      while (!visited[0]) {
        runner.visit();
        Thread.onSpinWait();
      }
      assertTrue(seen.await(10, TimeUnit.SECONDS), "the wake-up was lost");
    }
    assertEquals(List.of(), failures);
  }

  @Test
  void aVisitorAlsoDoesWhatComesDuringItsVisit() throws Exception {
    Thread visitor = Thread.currentThread();
    AtomicReference<AgentRunner> self = new AtomicReference<>();
    List<Thread> turns = new ArrayList<>();
    Agent agent =
        new Agent() {
          @Override
          public String name() {
            return "brought more";
          }

          @Override
          public boolean doWork() {
            boolean first = Thread.currentThread() == visitor && turns.isEmpty();
            if (first || !turns.isEmpty()) {
              turns.add(Thread.currentThread());
            }
            if (first) {
              self.get().wake();
            }
            return false;
          }
        };
    List<Throwable> failures = new ArrayList<>();
    try (AgentRunner runner = new AgentRunner(agent, failures::add)) {
      self.set(runner);
      runner.start();
      while (turns.isEmpty()) {
        runner.visit();
        Thread.onSpinWait();
      }
    }
    assertEquals(List.of(visitor, visitor), turns.subList(0, 2));
    assertEquals(List.of(), failures);
  }

  @Test
  void aVisitorsFailureIsTheAgents() throws Exception {
    IllegalStateException broken = new IllegalStateException("broken");
    CountDownLatch ready = new CountDownLatch(1);
    Agent agent =
        new Agent() {
          private int turns;

          @Override
          public String name() {
            return "breaks";
          }

          @Override
          public boolean doWork() {
            if (turns++ > 0) {
              throw broken;
            }
            ready.countDown();
            return false;
          }
        };
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (AgentRunner runner = new AgentRunner(agent, failure::set)) {
      runner.start();
      assertTrue(ready.await(10, TimeUnit.SECONDS));
      runner.visit();
      while (failure.get() == null) {
        Thread.onSpinWait();
      }
    }
    assertSame(broken, failure.get());
  }

  @Test
  void littleWorkIsDoneByTheThreadThatMadeIt() throws Exception {
    Adder second = new Adder(Long.MAX_VALUE);
    Wakeup wakeup = new Wakeup();
    List<Throwable> failures = new ArrayList<>();
    boolean[] little = {true};
    Agent first =
        new Agent() {
          @Override
          public String name() {
            return "first";
          }

          @Override
          public boolean doWork() {
            second.queue.add(1);
            wakeup.run();
            return true;
          }
        };
    Relay relay = new Relay(first, () -> little[0], List.of(wakeup));
    try (AgentRunner runner = new AgentRunner(second, failures::add)) {
      wakeup.connect(runner);
      runner.start();
      do {
        relay.doWork();
        assertTrue(second.taken.tryAcquire(10, TimeUnit.SECONDS));
      } while (second.last != Thread.currentThread());
      little[0] = false;
      relay.doWork();
      assertTrue(second.taken.tryAcquire(10, TimeUnit.SECONDS));
      assertTrue(second.last != Thread.currentThread());
    }
    assertEquals(List.of(), failures);
  }
}
