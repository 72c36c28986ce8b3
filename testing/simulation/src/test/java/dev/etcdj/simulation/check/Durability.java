package dev.etcdj.simulation.check;

import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.message.Message;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import dev.etcdj.wal.Wal;
import dev.etcdj.wal.WalRecovery;
import dev.etcdj.wal.io.MemoryFileStore;
import java.util.function.Supplier;

/// What a member has told others it finds again after a crash; what is committed is durable on a
/// quorum.
final class Durability {
  private static final String KEPT = "what was attested survives a crash";
  private static final int AUDIT_EVERY = 24;

  private final World world;
  private final int members;
  private final Attested[] attested;
  private final long[] stable;
  private long audited;

  private static final class Attested {
    long voteTerm;
    long vote;
    long term;
    long index;
  }

  Durability(World world, int members) {
    this.world = world;
    this.members = members;
    this.attested = new Attested[members + 1];
    this.stable = new long[members + 1];
    // The first entries name the members; they are committed because all begin with them.
    this.audited = members;
    for (int i = 1; i <= members; i++) {
      attested[i] = new Attested();
    }
  }

  void sent(Member member, Message message) {
    Attested its = attested[member.number()];
    switch (message) {
      case Message.VoteResponse vote when !vote.reject() && vote.term() >= its.voteTerm -> {
        its.voteTerm = vote.term();
        its.vote = vote.to();
      }
      case Message.AppendResponse answer when !answer.reject() -> {
        if (answer.term() > its.term) {
          its.term = answer.term();
          its.index = 0;
        }
        its.index = Math.max(its.index, answer.index());
      }
      default -> {}
    }
  }

  void started(Member member) {
    Attested its = attested[member.number()];
    MemoryLog log = member.storage().log().memory();
    HardState hard = log.hardState();
    Supplier<String> found =
        () -> "member " + member.number() + " found " + hard + " and entry " + log.lastIndex();
    Broken.unless(
        hard.term() >= Math.max(its.voteTerm, its.term),
        KEPT,
        () -> found.get() + " after terms " + its.voteTerm + ", " + its.term);
    Broken.unless(
        its.voteTerm == 0 || hard.term() != its.voteTerm || hard.vote() == its.vote,
        KEPT,
        () -> found.get() + " after a vote for " + its.vote);
    Broken.unless(
        hard.term() != its.term || log.lastIndex() >= its.index,
        KEPT,
        () -> found.get() + " after an acknowledgement of " + its.index);
    stable[member.number()] = log.lastIndex();
  }

  void ended(Member member) {
    stable[member.number()] = member.storage().log().memory().lastIndex();
  }

  void stepped(Member member, long committed) {
    stable[member.number()] = member.storage().log().memory().lastIndex();
    if (committed <= audited) {
      return;
    }
    int copies = 0;
    for (int i = 1; i <= members; i++) {
      copies += stable[i] >= committed ? 1 : 0;
    }
    require(copies, committed, "have it in their stable log");
    if (committed % AUDIT_EVERY == 0) {
      audit(committed);
    }
    audited = committed;
  }

  private void require(int copies, long committed, String how) {
    Broken.unless(
        copies > members / 2,
        "committed is durable on a quorum",
        () -> copies + " of " + members + " members " + how + ": entry " + committed);
  }

  /// Opens what every disk would hold if all power went now.
  private void audit(long committed) {
    world.stats().audits++;
    int copies = 0;
    for (int i = 1; i <= members; i++) {
      copies += durable(world.memberNumber(i)) >= committed ? 1 : 0;
    }
    require(copies, committed, "would find it again");
  }

  private static long durable(Member member) {
    MemoryFileStore disk = member.disk().files().durableCopy();
    if (!Wal.exists(disk, member.walFolder())) {
      return 0;
    }
    WalRecovery found = Wal.open(disk, member.walFolder(), member.walConfig(), Long.MAX_VALUE);
    return found.entries().isEmpty() ? found.snapshot().index() : found.entries().getLast().index();
  }
}
