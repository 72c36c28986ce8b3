package dev.etcdj.server.propose;

import java.util.concurrent.atomic.AtomicLong;

/// Makes ids that no other request of the cluster has, across restarts too (RAFT-124): 16 bits of
/// the member id, 40 bits of the start time in milliseconds, 8 bits of counter; the lower 48 count
/// up as one number.
public final class RequestIds {
  private static final int SUFFIX_BITS = 48;
  private static final long SUFFIX_MASK = (1L << SUFFIX_BITS) - 1;

  private final long prefix;
  private final AtomicLong suffix;

  public RequestIds(long memberId, long startEpochMillis) {
    this.prefix = memberId << SUFFIX_BITS;
    this.suffix = new AtomicLong(startEpochMillis << 8 & SUFFIX_MASK);
  }

  /// A fresh id. Any thread.
  public long next() {
    return prefix | suffix.incrementAndGet() & SUFFIX_MASK;
  }
}
