package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.etcdj.conformance.Pair.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Guarantee: random programs are answered by us as by real etcd. Method: several pairs of servers
/// play programs, one at a time each; a difference is shrunk and printed as a script that can be
/// pasted among the hand-picked ones. Expectation: real etcd 3.7.1. Replay: `-Dseed=`, `-Dops=`,
/// and `-Dprogram=` for one program alone.
///
/// A program that differs and ran into a time limit says nothing about the servers, so it is played
/// again to other ones, and counted; only when that happens each time, and not because the whole
/// machine stood still, is it a difference.
final class GeneratedTest {
  private static final int PAIRS = Integer.getInteger("pairs", 4);
  private static final int OPS_PER_PAIR = 20_000;
  private static final int ENOUGH_REPORTS = Integer.getInteger("reports", 3);
  private static final int ATTEMPTS = 4;
  private static final int PATIENCE_SECONDS = 60;
  private static final long SHRINK_NANOS = TimeUnit.SECONDS.toNanos(300);

  private final long ops = Long.getLong("ops", 5_000);
  private final long seed = Long.getLong("seed", 1);
  private final @Nullable Long only = Long.getLong("program");

  private final AtomicLong nextProgram = new AtomicLong();
  private final Progress progress = new Progress(seed, PAIRS);

  @Test
  void answersAsEtcdDoes() throws Exception {
    Path etcd = EtcdServer.binary().orElseGet(() -> abort(Oracle.MISSING));
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
    System.out.println(progress);
    List<String> reports = progress.reports();
    assertTrue(reports.isEmpty(), () -> "\n" + String.join("\n", reports));
  }

  private boolean goesOn() {
    return only == null
        ? progress.operations() < ops && progress.reports().size() < ENOUGH_REPORTS
        : nextProgram.get() == 0;
  }

  private void work(Path etcd) throws Exception {
    while (goesOn()) {
      Failure failure = untilOneDiffers(etcd);
      if (failure != null) {
        judge(etcd, failure.program(), failure.verdict());
      }
    }
  }

  private record Failure(Program program, Verdict verdict) {}

  /// Plays programs to one pair of servers, whose stores are equal up to the first difference.
  private @Nullable Failure untilOneDiffers(Path etcd) throws Exception {
    try (Pair pair = Pair.start(etcd)) {
      for (long played = 0; goesOn() && played < OPS_PER_PAIR; ) {
        long number = nextProgram.getAndIncrement();
        Program program = Generator.program(seed, only == null ? number : only);
        Verdict verdict = pair.play(program, PATIENCE_SECONDS);
        played += program.steps().size();
        progress.played(program);
        if (verdict.differs()) {
          return new Failure(program, verdict);
        }
      }
      return null;
    }
  }

  private void judge(Path etcd, Program program, Verdict first) throws Exception {
    try (EqualPair pair = new EqualPair(etcd, PATIENCE_SECONDS)) {
      Verdict verdict = first;
      for (int attempt = 1; verdict.late() && attempt < ATTEMPTS; attempt++) {
        progress.late(program, verdict.differences());
        verdict = pair.play(program);
        if (!verdict.differs()) {
          return;
        }
      }
      progress.differs(report(pair, program, verdict));
    }
  }

  private static String report(EqualPair pair, Program program, Verdict verdict) throws Exception {
    StringBuilder text = new StringBuilder(program.name()).append(" differs:\n");
    if (!pair.play(program).differs()) {
      text.append("only once, not when played again to other servers:\n");
      verdict.differences().stream().limit(5).forEach(one -> text.append(one).append('\n'));
      return text.toString();
    }
    Program small = Shrinker.shrink(program, p -> pair.play(p).differs(), SHRINK_NANOS);
    pair.play(small).differences().forEach(one -> text.append(one).append('\n'));
    return text.append(Script.write(small)).toString();
  }
}
