package dev.etcdj.raft;

import dev.etcdj.raft.log.LogReader;
import dev.etcdj.raft.trace.TraceSink;
import java.util.function.IntUnaryOperator;

/// Settings of one node (RAFT-1, RAFT-2); 0 stands for unlimited where RAFT-2 says so.
///
/// @param randomInt gives a number in [0, n); the only source of randomness
/// @param unansweredCommits a leader sends a commit index that goes with no entries as
///     [dev.etcdj.raft.message.Message.CommitIndex] and not as an empty append; not an option of
///     etcd's
public record RaftConfig(
    long id,
    int electionTicks,
    int heartbeatTicks,
    LogReader log,
    ConfChangeCodec confChangeCodec,
    IntUnaryOperator randomInt,
    TraceSink trace,
    long applied,
    boolean asyncStorageWrites,
    long maxSizePerMessage,
    long maxCommittedSizePerReady,
    long maxUncommittedSize,
    int maxInflightMessages,
    long maxInflightBytes,
    boolean checkQuorum,
    boolean preVote,
    ReadOnlyOption readOnly,
    boolean disableProposalForwarding,
    boolean stepDownOnRemoval,
    boolean unansweredCommits) {

  /// How linearizable reads are confirmed (RAFT-72, RAFT-74).
  public enum ReadOnlyOption {
    SAFE,
    LEASE_BASED
  }
}
