package dev.etcdj.wal;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.NullUnmarked;

/// Gives a writer a thread, as the server does.
@NullUnmarked
final class WriterRunner implements AutoCloseable {
  private final Thread thread;
  private volatile boolean stopping;

  WriterRunner(WalWriter writer) {
    thread =
        Thread.ofPlatform()
            .name("wal-sync")
            .start(
                () -> {
                  while (!stopping) {
                    if (!writer.doWork()) {
                      LockSupport.park(this);
                    }
                  }
                });
  }

  void wake() {
    LockSupport.unpark(thread);
  }

  @Override
  public void close() {
    stopping = true;
    wake();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
