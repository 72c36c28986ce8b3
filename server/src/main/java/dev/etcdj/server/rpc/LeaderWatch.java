package dev.etcdj.server.rpc;

import dev.etcdj.server.propose.Timers;
import dev.etcdj.server.raftnode.RaftHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Ends the streams that want a leader when there has been none for three looks, one per election
/// timeout (WATCH-101). As many entries as there are such streams.
final class LeaderWatch {
  private static final int LOOKS = 3;

  /// A stream opened with `hasleader: true`.
  interface Stream {
    /// There is no leader: end. Any thread.
    void leaderLost();
  }

  private final RaftHandle raft;
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  // Timer thread only.
  private int missed;

  LeaderWatch(RaftHandle raft, Timers timers, long electionTimeoutNanos) {
    this.raft = raft;
    timers.every(electionTimeoutNanos, this::look);
  }

  void add(Stream stream) {
    streams.add(stream);
  }

  void remove(Stream stream) {
    streams.remove(stream);
  }

  void look() {
    missed = raft.view().hasLeader() ? 0 : missed + 1;
    if (missed >= LOOKS) {
      missed = 0;
      for (Stream stream : streams) {
        streams.remove(stream);
        stream.leaderLost();
      }
    }
  }
}
