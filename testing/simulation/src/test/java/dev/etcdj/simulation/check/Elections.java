package dev.etcdj.simulation.check;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.message.Message;
import dev.etcdj.server.raftnode.RaftView;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.HashMap;
import java.util.Map;

/// Raft's promises about terms: one leader in each, one vote of each member in each, and a leader
/// commits by counting only what is of its own term (paper §5.4.2).
final class Elections {
  private final World world;
  private final Map<Long, Integer> leaders = new HashMap<>();
  private final Map<Long, Long> firstOwnEntry = new HashMap<>();
  private final Map<Long, Long>[] votes;
  private final RaftView[] before;
  private long committed;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Elections(World world, int members) {
    this.world = world;
    this.votes = new Map[members + 1];
    this.before = new RaftView[members + 1];
    for (int i = 1; i <= members; i++) {
      votes[i] = new HashMap<>();
    }
  }

  /// Highest index that any member knows to be committed.
  long committed() {
    return committed;
  }

  void started(Member member) {
    before[member.number()] = member.replica().raft().view();
  }

  void stepped(Member member) {
    RaftView was = before[member.number()];
    RaftView now = member.replica().raft().view();
    if (now == was) {
      return;
    }
    before[member.number()] = now;
    Broken.unless(now.term() >= was.term(), "a term never goes back", () -> was + " → " + now);
    Broken.unless(
        now.committed() >= was.committed(), "commit never goes back", () -> was + " → " + now);
    committed = Math.max(committed, now.committed());
    if (!now.isLeader()) {
      return;
    }
    Integer known = leaders.putIfAbsent(now.term(), member.number());
    if (known == null) {
      world.stats().elections++;
      world.trace().note("leads", member.number(), now.term(), now.committed());
    }
    Broken.unless(
        known == null || known == member.number(),
        "one leader in a term",
        () -> "members " + known + " and " + member.number() + " lead in term " + now.term());
    boolean sameReign = was.isLeader() && was.term() == now.term();
    Long own = firstOwnEntry.get(now.term());
    if (sameReign && own != null && now.committed() > was.committed()) {
      Broken.unless(
          now.committed() >= own,
          "a leader counts copies of its own term's entries alone",
          () ->
              "leader of term "
                  + now.term()
                  + " commits "
                  + now.committed()
                  + ", begins at "
                  + own);
    }
  }

  void sent(Member member, Message message) {
    if (message instanceof Message.VoteResponse vote && !vote.reject()) {
      Long given = votes[member.number()].putIfAbsent(vote.term(), vote.to());
      Broken.unless(
          given == null || given == vote.to(),
          "one vote in a term",
          () -> "member " + member.number() + " votes for two in term " + vote.term());
    } else if (message instanceof Message.Append append) {
      for (Entry entry : append.entries()) {
        if (entry.term() == append.term()) {
          firstOwnEntry.merge(append.term(), entry.index(), Math::min);
          break;
        }
      }
    }
  }
}
