package dev.etcdj.raft.tracker;

import dev.etcdj.raft.InvariantViolation;

/// What a leader knows of one member's log, and what it may send next.
///
/// Invariant: match < next; without a snapshot under way `pendingSnapshot` is 0, with one it is
/// what precedes `next`, unless the member has moved past it already.
public final class Progress {
  private final long id;
  private final Inflights inflights;
  private long match;
  private long next;
  private long sentCommit;
  private long pendingSnapshot;
  private ProgressState state = ProgressState.PROBE;
  private boolean flowPaused;
  private boolean recentlyActive;
  private boolean emptyAppendDue;

  public Progress(long id, long next, Inflights inflights) {
    this.id = id;
    this.next = next;
    this.inflights = inflights;
  }

  /// The member.
  public long id() {
    return id;
  }

  /// Highest index known to be in the member's durable log.
  public long match() {
    return match;
  }

  /// Index of the first entry of the next append.
  public long next() {
    return next;
  }

  public ProgressState state() {
    return state;
  }

  /// Index of the snapshot under way, 0 when none.
  public long pendingSnapshot() {
    return pendingSnapshot;
  }

  public Inflights inflights() {
    return inflights;
  }

  /// Whether the member answered since the last check of the quorum (RAFT-43).
  public boolean recentlyActive() {
    return recentlyActive;
  }

  public void recentlyActive(boolean active) {
    recentlyActive = active;
  }

  /// Whether nothing may be sent until the member answers.
  public boolean isPaused() {
    return state == ProgressState.SNAPSHOT || flowPaused;
  }

  /// Lets one more append through after a heartbeat response, so that lost traffic recovers.
  public void unpause() {
    flowPaused = false;
  }

  /// Stops appends until the next response or heartbeat response (RAFT-66).
  public void pause() {
    flowPaused = true;
  }

  /// Whether an append is owed even if it carries no entries.
  public boolean emptyAppendDue() {
    return emptyAppendDue;
  }

  public void emptyAppendDue(boolean due) {
    emptyAppendDue = due;
  }

  /// Whether telling the member that `committed` is committed can raise its commit index: it must
  /// not have been told yet, and have been sent entries above what it was told (RAFT-57).
  public boolean canRaiseCommit(long committed) {
    return committed > sentCommit && sentCommit < next - 1;
  }

  /// The member was told this commit index.
  public void sentCommit(long commit) {
    sentCommit = commit;
  }

  /// An append with `count` entries of `payloadBytes` left.
  public void sentEntries(int count, long payloadBytes) {
    switch (state) {
      case REPLICATE -> {
        if (count > 0) {
          next += count;
          inflights.add(next - 1, payloadBytes);
        }
        flowPaused = inflights.isFull();
      }
      case PROBE -> flowPaused |= count > 0;
      case SNAPSHOT -> throw new InvariantViolation("append sent while a snapshot is under way");
    }
  }

  /// The member's log holds everything through `index`.
  ///
  /// @return whether that was news
  public boolean acknowledge(long index) {
    if (index <= match) {
      return false;
    }
    match = index;
    next = Math.max(next, index + 1);
    flowPaused = false;
    return true;
  }

  /// The member refused an append after `rejected`; the logs may meet at `hint` (RAFT-52).
  ///
  /// @return false when the refusal is stale and changes nothing
  public boolean reject(long rejected, long hint) {
    boolean stale =
        switch (state) {
          case REPLICATE -> rejected <= match;
          case PROBE -> rejected != next - 1;
          // What was refused was sent before the snapshot, which decides where to go on.
          case SNAPSHOT -> true;
        };
    if (stale) {
      return false;
    }
    next =
        state == ProgressState.REPLICATE
            ? match + 1
            : Math.max(Math.min(rejected, hint + 1), match + 1);
    sentCommit = Math.min(sentCommit, next - 1);
    flowPaused = false;
    return true;
  }

  /// Starts over where the logs are known to meet; past the snapshot if one was under way.
  public void transitionToProbe() {
    long resume = Math.max(match, pendingSnapshot) + 1;
    enter(ProgressState.PROBE);
    next = resume;
    sentCommit = Math.min(sentCommit, next - 1);
  }

  /// Starts over at match + 1, because the snapshot under way failed.
  public void transitionToProbeWithoutSnapshot() {
    pendingSnapshot = 0;
    transitionToProbe();
  }

  /// Pipelines from match + 1 on.
  public void transitionToReplicate() {
    enter(ProgressState.REPLICATE);
    next = match + 1;
    sentCommit = Math.min(sentCommit, match);
  }

  /// Waits for a snapshot of everything through `index`.
  public void transitionToSnapshot(long index) {
    enter(ProgressState.SNAPSHOT);
    pendingSnapshot = index;
    next = index + 1;
    sentCommit = index;
  }

  private void enter(ProgressState entered) {
    state = entered;
    flowPaused = false;
    pendingSnapshot = 0;
    inflights.clear();
  }

  /// Stops the member unless the invariants above hold.
  public void checkInvariants() {
    boolean snapshotFits =
        state == ProgressState.SNAPSHOT
            ? pendingSnapshot > 0 && next == Math.max(pendingSnapshot, match) + 1
            : pendingSnapshot == 0;
    if (match >= next || !snapshotFits) {
      throw new InvariantViolation(
          "progress of %x: match %d, next %d, %s, snapshot %d"
              .formatted(id, match, next, state, pendingSnapshot));
    }
  }
}
