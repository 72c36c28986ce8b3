package dev.etcdj.conformance;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Real etcd and us, with the same history.
final class Pair implements AutoCloseable {
  private final Target etcd;
  private final Target own;
  private final Player etcdPlayer;
  private final Player ownPlayer;
  private final ExecutorService other = Executors.newSingleThreadExecutor();

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

  /// Plays a program to both at once.
  List<Difference> differences(Program program) throws Exception {
    Future<Transcript> theirs = other.submit(() -> etcdPlayer.play(program));
    Transcript ours = ownPlayer.play(program);
    return Comparer.compare(program, theirs.get(), ours);
  }

  @Override
  public void close() throws Exception {
    other.shutdownNow();
    try {
      etcd.close();
    } finally {
      own.close();
    }
  }
}
