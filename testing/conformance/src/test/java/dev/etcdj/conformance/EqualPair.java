package dev.etcdj.conformance;

import dev.etcdj.conformance.Pair.Verdict;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Servers with equal stores: other ones after each difference, for it may have left them unequal.
final class EqualPair implements AutoCloseable {
  private final Path etcd;
  private final int patienceSeconds;
  private @Nullable Pair pair;

  /// @param patienceSeconds after which one answer counts as not coming
  EqualPair(Path etcd, int patienceSeconds) {
    this.etcd = etcd;
    this.patienceSeconds = patienceSeconds;
  }

  /// Plays a program, again if it differs and the machine stood still meanwhile.
  Verdict play(Program program) throws Exception {
    while (true) {
      Pair current = pair;
      if (current == null) {
        current = Pair.start(etcd);
        pair = current;
      }
      Verdict verdict = current.play(program, patienceSeconds);
      if (!verdict.differs()) {
        return verdict;
      }
      close();
      if (!verdict.paused()) {
        return verdict;
      }
    }
  }

  @Override
  public void close() throws Exception {
    Pair old = pair;
    pair = null;
    if (old != null) {
      old.close();
    }
  }
}
