package dev.etcdj.server.replica;

/// How much of everything a replica holds at most.
///
/// @param inbox client proposals, and other inputs, that wait for the raft loop
/// @param walQueue appends that wait for the log writer
/// @param applyQueue tasks that wait for the apply loop
/// @param waiters proposals that wait for their entry; a power of two
/// @param waitingReads linearizable reads that wait
/// @param unapplied committed entries that wait for apply before proposals are refused (KV-24)
/// @param memoryCutInterval applied entries between two cuts of the log in memory (LIM-30)
/// @param watchRingBytes bytes of encoded events kept for watchers
/// @param watchRingRevisions revisions kept for watchers
/// @param messageBytes entries in one append to a follower
/// @param inflightMessages appends to a follower that are under way
/// @param learners members that do not vote
public record Limits(
    int inbox,
    int walQueue,
    int applyQueue,
    int waiters,
    int waitingReads,
    long unapplied,
    long memoryCutInterval,
    long watchRingBytes,
    int watchRingRevisions,
    long messageBytes,
    int inflightMessages,
    int learners) {
  /// Those of a member that serves.
  public static final Limits DEFAULT =
      new Limits(4096, 1024, 64, 1 << 16, 1 << 16, 5_000, 100, 32L << 20, 65_536, 1 << 20, 512, 1);
}
