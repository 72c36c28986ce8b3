package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Guarantee: random programs are answered by us as by real etcd. Method: several pairs of servers
/// play programs, one at a time each; a difference is shrunk and printed as a script that can be
/// pasted among the hand-picked ones. Expectation: real etcd 3.7.1. Replay: `-Dseed=`, `-Dops=`,
/// and `-Dprogram=` for one program alone.
final class GeneratedTest {
  private static final int PAIRS = Integer.getInteger("pairs", 3);
  private static final int OPS_PER_PAIR = 20_000;
  private static final int ENOUGH_REPORTS = Integer.getInteger("reports", 3);
  private static final long SHRINK_NANOS = 60_000_000_000L;

  private final long ops = Long.getLong("ops", 5_000);
  private final long seed = Long.getLong("seed", 1);
  private final @Nullable Long only = Long.getLong("program");

  private final AtomicLong nextProgram = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private final List<String> reports = Collections.synchronizedList(new ArrayList<>());

  @Test
  void answersAsEtcdDoes() throws Exception {
    Path etcd = EtcdServer.binary().orElseGet(() -> abort(Oracle.MISSING));
    long start = System.nanoTime();
    try (ExecutorService workers = Executors.newFixedThreadPool(PAIRS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < (only == null ? PAIRS : 1); i++) {
        running.add(
            workers.submit(
                () -> {
                  work(etcd);
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "conformance: %d operations in %d programs, seed %d, %d pairs, %.0f s, %.0f a second;"
            + " %d differences%n",
        done.get(),
        nextProgram.get(),
        seed,
        PAIRS,
        seconds,
        done.get() / seconds,
        reports.size());
    assertTrue(reports.isEmpty(), () -> "\n" + String.join("\n", reports));
  }

  private boolean goesOn() {
    return only == null
        ? done.get() < ops && reports.size() < ENOUGH_REPORTS
        : nextProgram.get() == 0;
  }

  private void work(Path etcd) throws Exception {
    while (goesOn()) {
      try (Pair pair = Pair.start(etcd)) {
        long played = 0;
        while (goesOn() && played < OPS_PER_PAIR) {
          long number = nextProgram.getAndIncrement();
          Program program = Generator.program(seed, only == null ? number : only);
          List<Difference> differences = pair.differences(program);
          played += program.steps().size();
          done.addAndGet(program.steps().size());
          if (!differences.isEmpty()) {
            reports.add(report(pair, program, differences));
          }
        }
      }
    }
  }

  private static String report(Pair pair, Program program, List<Difference> first)
      throws Exception {
    List<Difference> last = pair.differences(program);
    StringBuilder text = new StringBuilder(program.name()).append(" differs:\n");
    if (last.isEmpty()) {
      text.append("only once, not when played again:\n");
      first.stream().limit(5).forEach(one -> text.append(one).append('\n'));
      return text.toString();
    }
    Program small = Shrinker.shrink(program, p -> !pair.differences(p).isEmpty(), SHRINK_NANOS);
    pair.differences(small).forEach(one -> text.append(one).append('\n'));
    return text.append(Script.write(small)).toString();
  }
}
