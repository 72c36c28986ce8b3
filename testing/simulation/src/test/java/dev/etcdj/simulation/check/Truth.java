package dev.etcdj.simulation.check;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.mvccpb.KeyValue;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// What the cluster has decided, as the first member to apply it shows it; every other member, and
/// every member after a restart, must come to the same.
public final class Truth {
  private static final String SAME_LOG = "a committed entry never changes";
  private static final String SAME_REVISIONS = "a revision is never reused and never skipped";
  private static final String ONE_UNIT = "the consistent index changes with its data";
  private static final String SAME_STORE = "members at the same index hold the same";
  private static final int DIGEST_EVERY = 8;

  private final World world;
  private final Leases leases;

  /// By index; 0 is none.
  private final List<Entry> log = new ArrayList<>(Arrays.asList((Entry) null));

  /// By revision; 0 and 1 are none.
  private final List<Commit> commits = new ArrayList<>(Arrays.asList(null, null));

  private final Map<ByteString, List<Version>> versions = new HashMap<>();
  private final Map<Long, Long> digests = new HashMap<>();
  private final long[] applied;
  private final long[] revision;
  private long compacted;

  /// A revision.
  ///
  /// @param index of the entry that made it
  public record Commit(long index, List<Event> events) {}

  /// A key's state from a revision on; `kv` null when it was deleted.
  private record Version(long revision, KeyValue kv) {}

  Truth(World world, int members, Leases leases) {
    this.world = world;
    this.leases = leases;
    this.applied = new long[members + 1];
    this.revision = new long[members + 1];
  }

  // ---- what is looked at ------------------------------------------------------------------------

  void started(Member member) {
    KvStore kv = member.replica().stores().kv();
    long index = member.replica().applier().appliedIndex();
    applied[member.number()] = index;
    revision[member.number()] = kv.revision();
    long own = kv.revision();
    Supplier<String> found =
        () -> "member " + member.number() + " found index " + index + ", revision " + own;
    Broken.unless(own <= lastRevision(), ONE_UNIT, () -> found.get() + " of " + lastRevision());
    Broken.unless(own < 2 || commits.get((int) own).index() <= index, ONE_UNIT, found);
    Broken.unless(
        own == lastRevision() || commits.get((int) own + 1).index() > index, ONE_UNIT, found);
    compare(member, index);
  }

  void committed(Member member, long newRevision, List<Event> events) {
    long index = member.replica().applier().appliedIndex() + 1;
    long expected = revision[member.number()] + 1;
    Supplier<String> what =
        () -> "member " + member.number() + ", entry " + index + ", revision " + newRevision;
    Broken.unless(newRevision == expected, SAME_REVISIONS, () -> what.get() + ", not " + expected);
    revision[member.number()] = newRevision;
    if (newRevision <= lastRevision()) {
      Commit known = commits.get((int) newRevision);
      Broken.unless(
          known.index() == index,
          SAME_REVISIONS,
          () -> what.get() + ", elsewhere of entry " + known.index());
      Broken.unless(
          same(known.events(), events), SAME_STORE, () -> what.get() + " has other events");
      return;
    }
    commits.add(new Commit(index, List.copyOf(events)));
    for (Event event : events) {
      versions
          .computeIfAbsent(event.key(), _ -> new ArrayList<>())
          .add(new Version(newRevision, event.delete() ? null : parse(event.keyValue())));
    }
  }

  private static boolean same(List<Event> a, List<Event> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!a.get(i).key().equals(b.get(i).key())
          || a.get(i).delete() != b.get(i).delete()
          || !a.get(i).revision().equals(b.get(i).revision())
          || !Arrays.equals(a.get(i).keyValue(), b.get(i).keyValue())) {
        return false;
      }
    }
    return true;
  }

  void applied(Member member) {
    long index = member.replica().applier().appliedIndex();
    long known = applied[member.number()];
    if (index == known) {
      return;
    }
    Broken.unless(index > known, "applied never goes back", () -> index + " after " + known);
    Broken.unless(
        index <= member.replica().raft().view().committed(),
        "applied ≤ committed",
        () -> "member " + member.number() + " applied " + index);
    MemoryLog entries = member.storage().log().memory();
    if (known + 1 < entries.firstIndex()) {
      world.stats().installs++;
      world.trace().note("installed", member.number(), index, 0);
    }
    for (long i = Math.max(known + 1, entries.firstIndex()); i <= index; i++) {
      long entry = i;
      List<Entry> one = entries.entries(i, i + 1, 1);
      Broken.unless(
          one != null && !one.isEmpty(),
          SAME_LOG,
          () -> "entry " + entry + " is applied and not stable");
      observe(member, one.getFirst());
    }
    applied[member.number()] = index;
    revision[member.number()] = member.replica().stores().kv().revision();
    if (index % DIGEST_EVERY == 0) {
      compare(member, index);
    }
  }

  private void observe(Member member, Entry entry) {
    int index = (int) entry.index();
    if (index < log.size()) {
      Entry known = log.get(index);
      Broken.unless(
          known == null || known.term() == entry.term() && known.data().equals(entry.data()),
          SAME_LOG,
          () -> "member " + member.number() + " applied another entry " + index);
      if (known != null) {
        return;
      }
    }
    while (log.size() <= index) {
      log.add(null);
    }
    log.set(index, entry);
    world.stats().applied++;
    if (entry.type() == EntryType.NORMAL && !entry.data().isEmpty()) {
      request(entry);
    }
  }

  private void request(Entry entry) {
    InternalRaftRequest request;
    try {
      request = InternalRaftRequest.parseFrom(entry.data().unsafeArray());
    } catch (InvalidProtocolBufferException e) {
      throw new Broken(SAME_LOG, e);
    }
    if (request.hasLeaseRevoke()) {
      leases.revoked(request.getLeaseRevoke().getID());
    } else if (request.hasCompaction()) {
      world.stats().compactions++;
      compacted = Math.max(compacted, request.getCompaction().getRevision());
    }
  }

  /// Compares everything a member holds with what others held at this index.
  public void compare(Member member, long index) {
    KvStore kv = member.replica().stores().kv();
    long digest = kv.hash(0).hash() * 31L + kv.revision() * 7 + kv.compactedRevision();
    long[] rows = {0};
    try (ReadView view = member.storage().backend().read()) {
      for (Bucket bucket : List.of(Bucket.LEASE, Bucket.ALARM, Bucket.MEMBERS)) {
        view.scan(
            bucket,
            new byte[0],
            null,
            (key, value) -> {
              rows[0] = (rows[0] * 31 + Arrays.hashCode(key)) * 31 + Arrays.hashCode(value);
              return true;
            });
      }
    }
    long all = digest * 31 + rows[0];
    Long known = digests.putIfAbsent(index, all);
    Broken.unless(
        known == null || known == all,
        SAME_STORE,
        () -> "member " + member.number() + " differs at entry " + index);
  }

  // ---- what is known ----------------------------------------------------------------------------

  /// Newest revision that any member has.
  public long lastRevision() {
    return commits.size() - 1;
  }

  /// Highest compacted revision that was decided, or asked for in vain.
  public long compacted() {
    return compacted;
  }

  /// Of 2 to [#lastRevision].
  public Commit commit(long at) {
    return commits.get((int) at);
  }

  /// What a key held at a revision, null for nothing.
  public KeyValue valueAt(ByteString key, long at) {
    List<Version> all = versions.getOrDefault(key, List.of());
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).revision() <= at) {
        return all.get(i).kv();
      }
    }
    return null;
  }

  /// Keys that were ever written.
  public Iterable<ByteString> keys() {
    return versions.keySet();
  }

  public static KeyValue parse(byte[] wire) {
    try {
      return KeyValue.parseFrom(wire);
    } catch (InvalidProtocolBufferException e) {
      throw new Broken("stored values can be read", e);
    }
  }
}
