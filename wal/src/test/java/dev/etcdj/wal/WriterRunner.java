package dev.etcdj.wal;

import java.util.concurrent.locks.LockSupport;

/// Gives a writer a thread, as the server does.
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
  public void close() throws InterruptedException {
    stopping = true;
    wake();
    thread.join();
  }
}
