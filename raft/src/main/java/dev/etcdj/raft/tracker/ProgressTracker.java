package dev.etcdj.raft.tracker;

import dev.etcdj.raft.confchange.Configuration;
import dev.etcdj.raft.quorum.AckedIndexes;
import dev.etcdj.raft.quorum.Ballot;
import dev.etcdj.raft.quorum.IdSet;
import dev.etcdj.raft.quorum.JointQuorum;
import dev.etcdj.raft.quorum.VoteResult;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One leader's [Progress] of every member, and what a quorum of them has. Lives as long as the
/// leader's reign.
public final class ProgressTracker {
  private final int maxInflightMessages;
  private final long maxInflightBytes;
  private final AckedIndexes matches = this::matchOf;
  private IdSet ids = IdSet.EMPTY;
  private JointQuorum quorum = new JointQuorum(IdSet.EMPTY, IdSet.EMPTY);
  private Progress[] progress = new Progress[0];

  public ProgressTracker(int maxInflightMessages, long maxInflightBytes) {
    this.maxInflightMessages = maxInflightMessages;
    this.maxInflightBytes = maxInflightBytes;
  }

  /// Follows the members of `configuration`. Who stays keeps its progress; who is new starts at
  /// `newcomerNext` and counts as active, so that a check of the quorum in the next moment does
  /// not depose the leader for their silence (RAFT-97).
  public void follow(Configuration configuration, long newcomerNext) {
    IdSet members = configuration.members();
    Progress[] updated = new Progress[members.size()];
    for (int i = 0; i < updated.length; i++) {
      Progress known = get(members.get(i));
      updated[i] = known == null ? newcomer(members.get(i), newcomerNext) : known;
    }
    ids = members;
    progress = updated;
    quorum = configuration.quorum();
  }

  private Progress newcomer(long id, long next) {
    Progress created = new Progress(id, next, new Inflights(maxInflightMessages, maxInflightBytes));
    created.recentlyActive(true);
    return created;
  }

  /// The progress of `id`, or null when it is no member.
  public @Nullable Progress get(long id) {
    int at = ids.indexOf(id);
    return at < 0 ? null : progress[at];
  }

  /// Everybody's progress, ascending by id. A view; do not keep it.
  public List<Progress> all() {
    return Collections.unmodifiableList(Arrays.asList(progress));
  }

  /// How many members there are.
  public int size() {
    return progress.length;
  }

  /// The progress at `position`, in ascending order of ids.
  public Progress at(int position) {
    return progress[position];
  }

  /// Highest index in the durable logs of a quorum (RAFT-53).
  public long committed() {
    return quorum.committed(matches);
  }

  /// Highest position a quorum has acknowledged in some other sequence.
  public long committed(AckedIndexes acked) {
    return quorum.committed(acked);
  }

  /// Whether a quorum of voters was active since the last call, which starts the next period.
  /// `self` is always active.
  public boolean checkQuorumActive(long self) {
    boolean active = quorum.result(this::activity) == VoteResult.WON;
    for (Progress each : progress) {
      each.recentlyActive(each.id() == self);
    }
    return active;
  }

  private Ballot activity(long voter) {
    Progress of = get(voter);
    return of != null && of.recentlyActive() ? Ballot.GRANTED : Ballot.REJECTED;
  }

  private long matchOf(long voter) {
    Progress of = get(voter);
    return of == null ? 0 : of.match();
  }

  /// Stops the member unless every progress is consistent.
  public void checkInvariants() {
    for (Progress each : progress) {
      each.checkInvariants();
    }
  }
}
