package dev.etcdj.simulation;

import dev.etcdj.simulation.Simulation.Outcome;
import dev.etcdj.simulation.world.Stats;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Runs many seeds on a few threads, each seed on one of them.
public final class Seeds {
  private static final int WORKERS = 2;
  private static final Duration LINE_EVERY = Duration.ofMinutes(1);

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

  private final long from;
  private final long count;
  private final int mostFailures;
  private final PrintStream log;
  private final AtomicLong next;
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong hash = new AtomicLong();
  private final AtomicLong cpuNanos = new AtomicLong();
  private final Stats stats = new Stats();
  private final List<Outcome> failures = new ArrayList<>();
  private final long began = System.nanoTime();

  private Seeds(long from, long count, int mostFailures, PrintStream log) {
    this.from = from;
    this.count = count;
    this.mostFailures = mostFailures;
    this.log = log;
    this.next = new AtomicLong(from);
  }

  /// Runs the seeds from `from` on, until all are run or so many have failed. The lowest that
  /// failed is always among the failures: what was begun is brought to its end.
  ///
  /// @param log for a line every minute and what fails as soon as it does
  public static Result run(long from, long count, int mostFailures, PrintStream log)
      throws InterruptedException {
    return new Seeds(from, count, mostFailures, log).run();
  }

  private Result run() throws InterruptedException {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(Thread.ofPlatform().name("seeds-" + i).start(this::work));
    }
    for (Thread worker : workers) {
      while (!worker.join(LINE_EVERY)) {
        log.printf(
            "%d of %d seeds, %.1f a second, %d failed%n",
            done.get(), count, done.get() / seconds(), failed());
      }
    }
    failures.sort((a, b) -> Long.compare(a.seed(), b.seed()));
    return new Result(
        from, count, failures, stats, hash.get(), seconds(), cpuNanos.get() / 1e6 / done.get());
  }

  private void work() {
    for (long seed = next.getAndIncrement(); seed < from + count; seed = next.getAndIncrement()) {
      Outcome outcome = Simulation.run(seed);
      hash.addAndGet(outcome.hash());
      stats.add(outcome.stats());
      done.incrementAndGet();
      if (outcome.failed()) {
        add(outcome);
      }
    }
    cpuNanos.addAndGet(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
  }

  private void add(Outcome failure) {
    log.println(failure.report());
    synchronized (failures) {
      failures.add(failure);
      if (failures.size() >= mostFailures) {
        next.set(from + count);
      }
    }
  }

  private int failed() {
    synchronized (failures) {
      return failures.size();
    }
  }

  private double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  /// For a caller in another class loader.
  ///
  /// @return seed, check and report of the lowest seed that fails; null when none does
  public static String[] firstFailure(long from, long count) throws InterruptedException {
    List<Outcome> failures =
        run(from, count, 1, new PrintStream(OutputStream.nullOutputStream())).failures();
    if (failures.isEmpty()) {
      return null;
    }
    Outcome first = failures.getFirst();
    return new String[] {Long.toString(first.seed()), first.check(), first.report()};
  }

  /// For the command line: `from count [failures to end after]`.
  public static void main(String[] arguments) throws InterruptedException {
    int mostFailures = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 3;
    System.out.println(
        run(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), mostFailures, System.out));
  }
}
