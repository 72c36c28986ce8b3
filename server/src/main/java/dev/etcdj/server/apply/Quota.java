package dev.etcdj.server.apply;

/// The limit on the backend's size (KV-119..122). Free pages count as free at once, because the
/// store reuses them.
public final class Quota {
  /// In force when 0 is configured: 2 GiB.
  public static final long DEFAULT_BYTES = 2L << 30;

  private final Stores stores;
  private final long bytes;

  /// @param configuredBytes 0: the default; negative: no limit
  public Quota(Stores stores, long configuredBytes) {
    this.stores = stores;
    this.bytes = configuredBytes == 0 ? DEFAULT_BYTES : configuredBytes;
  }

  /// The limit in force, negative for none.
  public long bytes() {
    return bytes;
  }

  /// Whether something of `cost` bytes fits (KV-120). Any thread.
  public boolean allows(long cost) {
    return cost == 0 || bytes < 0 || stores.backend().sizeInUseBytes() + cost < bytes;
  }
}
