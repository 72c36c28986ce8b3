package dev.etcdj.server.lease;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.raftnode.RaftView;
import dev.etcdj.server.read.LinearizableReads;
import dev.etcdj.server.read.ReadCallback;
import java.util.function.LongSupplier;

/// Makes sure that this member leads, not only that it did before its disk or process stalled
/// (LEASE-52).
public final class LeadershipCheck {
  private static final int FRESH_TICKS = 3;

  private final RaftHandle raft;
  private final LinearizableReads reads;
  private final LongSupplier nanoClock;
  private final long freshNanos;

  public LeadershipCheck(
      RaftHandle raft, LinearizableReads reads, LongSupplier nanoClock, long tickNanos) {
    this.raft = raft;
    this.reads = reads;
    this.nanoClock = nanoClock;
    this.freshNanos = FRESH_TICKS * tickNanos;
  }

  /// Runs one of the two: at once while the raft loop ticks, else after a read-index round.
  void confirm(Runnable leads, Runnable doesNot) {
    RaftView view = raft.view();
    if (!view.isLeader()) {
      doesNot.run();
    } else if (nanoClock.getAsLong() - raft.lastTickNanos() <= freshNanos) {
      leads.run();
    } else {
      reads.await(
          new ReadCallback() {
            @Override
            public void ready() {
              (raft.view().isLeader() ? leads : doesNot).run();
            }

            @Override
            public void failed(EtcdException why) {
              doesNot.run();
            }
          });
    }
  }
}
