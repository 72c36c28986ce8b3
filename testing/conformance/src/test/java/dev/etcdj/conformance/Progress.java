package dev.etcdj.conformance;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/// Counts what a run has done and says so now and then. Thread-safe.
final class Progress {
  private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long seed;
  private final int pairs;
  private final long start = System.nanoTime();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private long programs;
  private long operations;
  private long playedAgain;
  private long said = start;
  private final List<String> reports = new ArrayList<>();

  Progress(long seed, int pairs) {
    this.seed = seed;
    this.pairs = pairs;
  }

  synchronized void played(Program program) {
    programs++;
    operations += program.steps().size();
    long now = System.nanoTime();
    if (now - said > SAY_NANOS) {
      said = now;
      System.out.println(this);
    }
  }

  /// A program ran into a time limit and is played again.
  synchronized void late(Program program, List<Difference> differences) {
    playedAgain++;
    System.out.println(program.name() + " was late, played again: " + differences.getFirst());
  }

  synchronized void differs(String report) {
    reports.add(report);
    System.out.println(report);
  }

  synchronized long operations() {
    return operations;
  }

  synchronized List<String> reports() {
    return List.copyOf(reports);
  }

  /// One line: work done, time and CPU time taken.
  @Override
  public synchronized String toString() {
    double seconds = (System.nanoTime() - start) / 1e9;
    double etcd = EtcdServer.cpuNanos() / 1e9;
    double here = system.getProcessCpuTime() / 1e9;
    return String.format(
        Locale.ROOT,
        "conformance: %d operations in %d programs, seed %d, %d pairs, %.0f s, %.0f a second,"
            + " CPU %.0f s (etcd %.0f), %.2f ms an operation; %d played again, %d differences",
        operations,
        programs,
        seed,
        pairs,
        seconds,
        operations / seconds,
        here + etcd,
        etcd,
        1e3 * (here + etcd) / Math.max(1, operations),
        playedAgain,
        reports.size());
  }
}
