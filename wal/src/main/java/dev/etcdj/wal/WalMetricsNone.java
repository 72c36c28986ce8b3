package dev.etcdj.wal;

/// Nobody counts.
enum WalMetricsNone implements WalWriter.WalMetrics {
  INSTANCE;

  @Override
  public void fsynced(long nanos) {}

  @Override
  public void wrote(long bytes) {}
}
