package dev.etcdj.simulation;

import dev.etcdj.simulation.Simulation.Outcome;
import dev.etcdj.simulation.world.Stats;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Runs many seeds on a few threads, each seed on one of them.
public final class Seeds {
  private static final int WORKERS = 2;

  /// @param failures of the lowest seeds found, at most a few
  /// @param cpuMillis of the workers, per seed
  /// @param hash over the hashes of all seeds, in no order
  public record Result(
      long from,
      long count,
      List<Outcome> failures,
      Stats stats,
      long hash,
      double seconds,
      double cpuMillis) {
    @Override
    public String toString() {
      return "seeds %d to %d in %.1f s (%.0f a second, %.1f ms of CPU each), %d failed, hash %016x; %s"
          .formatted(
              from,
              from + count - 1,
              seconds,
              count / seconds,
              cpuMillis,
              failures.size(),
              hash,
              stats);
    }
  }

  private Seeds() {}

  /// Runs the seeds from `from` on, until all are run or so many have failed. The lowest that
  /// failed is always among the failures: what was begun is brought to its end.
  public static Result run(long from, long count, int mostFailures) throws InterruptedException {
    AtomicLong next = new AtomicLong(from);
    AtomicLong hash = new AtomicLong();
    AtomicLong cpuNanos = new AtomicLong();
    Stats stats = new Stats();
    List<Outcome> failures = new ArrayList<>();
    long began = System.nanoTime();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          Thread.ofPlatform()
              .name("seeds-" + i)
              .start(
                  () -> {
                    for (long seed = next.getAndIncrement();
                        seed < from + count;
                        seed = next.getAndIncrement()) {
                      Outcome outcome = Simulation.run(seed);
                      hash.addAndGet(outcome.hash());
                      stats.add(outcome.stats());
                      if (outcome.failed()) {
                        synchronized (failures) {
                          failures.add(outcome);
                          if (failures.size() >= mostFailures) {
                            next.set(from + count);
                          }
                        }
                      }
                    }
                    cpuNanos.addAndGet(
                        ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
                  }));
    }
    for (Thread worker : workers) {
      worker.join();
    }
    failures.sort((a, b) -> Long.compare(a.seed(), b.seed()));
    return new Result(
        from,
        count,
        failures,
        stats,
        hash.get(),
        (System.nanoTime() - began) / 1e9,
        cpuNanos.get() / 1e6 / count);
  }

  /// For a caller in another class loader.
  ///
  /// @return seed, check and report of the lowest seed that fails; null when none does
  public static String[] firstFailure(long from, long count) throws InterruptedException {
    List<Outcome> failures = run(from, count, 1).failures();
    if (failures.isEmpty()) {
      return null;
    }
    Outcome first = failures.getFirst();
    return new String[] {Long.toString(first.seed()), first.check(), first.report()};
  }

  /// For the command line: `from count`.
  public static void main(String[] arguments) throws InterruptedException {
    Result result = run(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), 3);
    result.failures().forEach(each -> System.out.println(each.report()));
    System.out.println(result);
  }
}
