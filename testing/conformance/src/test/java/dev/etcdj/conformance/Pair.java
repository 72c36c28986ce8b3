package dev.etcdj.conformance;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/// Real etcd and us, with the same history.
final class Pair implements AutoCloseable {
  /// Both servers give up a request after 7 s of the clock, also when that time was another
  /// process's; and what is left of a lease differs by how far apart they were asked.
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(120);

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Target etcd;
  private final Target own;
  private final Player etcdPlayer;
  private final Player ownPlayer;

  private Pair(Target etcd, Target own) {
    this.etcd = etcd;
    this.own = own;
    this.etcdPlayer = new Player(etcd);
    this.ownPlayer = new Player(own);
  }

  static Pair start(Path etcdBinary) throws Exception {
    Target etcd = EtcdServer.start(etcdBinary);
    Pair pair;
    try {
      pair = new Pair(etcd, OwnServer.start());
    } catch (Exception e) {
      etcd.close();
      throw e;
    }
    pair.etcdPlayer.awaitServing();
    pair.ownPlayer.awaitServing();
    return pair;
  }

  /// What came of a program.
  ///
  /// @param late whether a time limit may be the cause of differences
  /// @param paused whether this process did not get to run for seconds, and so the servers neither
  record Verdict(List<Difference> differences, boolean late, boolean paused) {
    boolean differs() {
      return !differences.isEmpty();
    }
  }

  /// Plays a program to both at once.
  ///
  /// @param patienceSeconds after which one answer counts as not coming
  Verdict play(Program program, int patienceSeconds) throws Exception {
    long start = System.nanoTime();
    Run theirs = etcdPlayer.play(program);
    Run ours = ownPlayer.play(program);
    boolean paused =
        Math.max(etcdPlayer.await(theirs, patienceSeconds), ownPlayer.await(ours, patienceSeconds))
            > PAUSE_NANOS;
    boolean late = paused || System.nanoTime() - start > LATE_NANOS;
    try {
      Transcript etcdSaid = theirs.transcript().get();
      Transcript ownSaid = ours.transcript().get();
      return new Verdict(
          Comparer.compare(program, etcdSaid, ownSaid),
          late || etcdSaid.timedOut() || ownSaid.timedOut(),
          paused);
    } catch (ExecutionException e) {
      return new Verdict(
          List.of(new Difference(-1, List.of(), "played to the end", e.toString(), "")),
          true,
          paused);
    }
  }

  @Override
  public void close() throws Exception {
    try {
      etcd.close();
    } finally {
      own.close();
    }
  }
}
