package dev.etcdj.server.membership;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.proto.membershippb.ClusterMemberAttrSetRequest;
import dev.etcdj.proto.membershippb.ClusterVersionSetRequest;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The member records, kept in buckets `members`, `members_removed` and `cluster`.
///
/// One writer, the apply loop; readers take the whole picture with one volatile read.
/// Invariant: an id is never both a member and removed.
public final class ClusterMembership implements Membership {
  private static final byte[] CLUSTER_VERSION = utf8("clusterVersion");

  /// @param list the members once more, because every linearizable read asks for it
  private record Picture(
      NavigableMap<Long, Member> members,
      List<Member> list,
      Set<Long> removed,
      @Nullable String clusterVersion) {
    Picture(
        NavigableMap<Long, Member> members, Set<Long> removed, @Nullable String clusterVersion) {
      this(members, List.copyOf(members.values()), removed, clusterVersion);
    }
  }

  private final long self;
  private final long clusterId;
  private final int maxLearners;
  private final PeerDirectory directory;
  // Written by the apply loop, read by any thread.
  private volatile Picture picture;

  /// Reads the records from `backend`; tells `directory` of each.
  public ClusterMembership(
      long self, long clusterId, int maxLearners, PeerDirectory directory, Backend backend) {
    this.self = self;
    this.clusterId = clusterId;
    this.maxLearners = maxLearners;
    this.directory = directory;
    this.picture = load(backend);
    picture.members.forEach((id, member) -> directory.memberAt(id, member.peerUrls()));
  }

  /// Reads everything again after a snapshot replaced the store (RAFT-155). Apply loop only.
  public void reload(Backend backend) {
    Picture before = picture;
    picture = load(backend);
    for (long id : before.members.keySet()) {
      if (!picture.members.containsKey(id)) {
        directory.memberRemoved(id);
      }
    }
    picture.members.forEach((id, member) -> directory.memberAt(id, member.peerUrls()));
  }

  /// The configuration that the records describe (RAFT-126).
  public static ConfState confState(Collection<Member> members) {
    return new ConfState(
        members.stream().filter(m -> !m.learner()).map(Member::id).toList(),
        members.stream().filter(Member::learner).map(Member::id).toList(),
        List.of(),
        List.of(),
        false);
  }

  @Override
  public long self() {
    return self;
  }

  @Override
  public long clusterId() {
    return clusterId;
  }

  @Override
  public List<Member> members() {
    return picture.list;
  }

  @Override
  public @Nullable Member member(long id) {
    return picture.members.get(id);
  }

  @Override
  public boolean isRemoved(long id) {
    return picture.removed.contains(id);
  }

  @Override
  public @Nullable String clusterVersion() {
    return picture.clusterVersion;
  }

  @Override
  public Applied apply(ConfChange change, WriteUnit unit) {
    ConfChange.Single single = change.changes().getFirst();
    MemberJson.Context context =
        change.context().isEmpty()
            ? new MemberJson.Context(
                new Member(single.nodeId(), "", List.of(), List.of(), false), false)
            : MemberJson.decodeContext(change.context().unsafeArray());
    RpcError refusal = refusal(single, context);
    if (refusal != null) {
      return new Applied(nothing(change), refusal.exception());
    }
    switch (single.kind()) {
      case ADD_NODE, ADD_LEARNER_NODE -> {
        Member known = picture.members.get(single.nodeId());
        put(
            context.promote() && known != null
                ? new Member(known.id(), known.name(), known.peerUrls(), known.clientUrls(), false)
                : context.member(),
            unit);
      }
      case UPDATE_NODE -> {
        Member known = picture.members.get(single.nodeId());
        if (known != null) {
          put(
              new Member(
                  known.id(),
                  known.name(),
                  context.member().peerUrls(),
                  known.clientUrls(),
                  known.learner()),
              unit);
        }
      }
      case REMOVE_NODE -> remove(single.nodeId(), unit);
    }
    return new Applied(change, null);
  }

  /// CLUS-70. Null when the change may be made.
  private @Nullable RpcError refusal(ConfChange.Single single, MemberJson.Context context) {
    long id = single.nodeId();
    if (picture.removed.contains(id)) {
      return RpcError.MEMBER_NOT_FOUND;
    }
    Member known = picture.members.get(id);
    return switch (single.kind()) {
      case ADD_NODE, ADD_LEARNER_NODE -> {
        if (context.promote()) {
          yield known == null
              ? RpcError.MEMBER_NOT_FOUND
              : known.learner() ? null : RpcError.MEMBER_NOT_LEARNER;
        }
        if (known != null) {
          yield RpcError.MEMBER_EXIST;
        }
        if (urlInUse(context.member().peerUrls(), id)) {
          yield RpcError.PEER_URL_EXIST;
        }
        yield context.member().learner() && learners() + 1 > maxLearners
            ? RpcError.TOO_MANY_LEARNERS
            : null;
      }
      case REMOVE_NODE -> known == null ? RpcError.MEMBER_NOT_FOUND : null;
      case UPDATE_NODE -> {
        if (known == null) {
          yield RpcError.MEMBER_NOT_FOUND;
        }
        yield urlInUse(context.member().peerUrls(), id) ? RpcError.PEER_URL_EXIST : null;
      }
    };
  }

  private boolean urlInUse(List<String> urls, long except) {
    return picture.members.values().stream()
        .filter(member -> member.id() != except)
        .anyMatch(member -> member.peerUrls().stream().anyMatch(urls::contains));
  }

  private long learners() {
    return picture.members.values().stream().filter(Member::learner).count();
  }

  private static ConfChange nothing(ConfChange change) {
    return ConfChange.single(change.changes().getFirst().kind(), 0, change.id(), Bytes.EMPTY);
  }

  @Override
  public void apply(ClusterMemberAttrSetRequest request, WriteUnit unit) {
    Member known = picture.members.get(request.getMemberID());
    if (known == null) {
      return;
    }
    put(
        new Member(
            known.id(),
            request.getMemberAttributes().getName(),
            known.peerUrls(),
            request.getMemberAttributes().getClientUrlsList(),
            known.learner()),
        unit);
  }

  @Override
  public void apply(ClusterVersionSetRequest request, WriteUnit unit) {
    unit.put(Bucket.CLUSTER, CLUSTER_VERSION, utf8(request.getVer()));
    picture = new Picture(picture.members, picture.removed, request.getVer());
  }

  private void put(Member member, WriteUnit unit) {
    unit.put(Bucket.MEMBERS, utf8(MemberIds.hex(member.id())), MemberJson.encode(member));
    NavigableMap<Long, Member> members = copyOf(picture.members);
    members.put(member.id(), member);
    picture = new Picture(members, picture.removed, picture.clusterVersion);
    directory.memberAt(member.id(), member.peerUrls());
  }

  private void remove(long id, WriteUnit unit) {
    byte[] key = utf8(MemberIds.hex(id));
    unit.delete(Bucket.MEMBERS, key);
    unit.put(Bucket.MEMBERS_REMOVED, key.clone(), utf8("removed"));
    NavigableMap<Long, Member> members = copyOf(picture.members);
    members.remove(id);
    Set<Long> removed = new HashSet<>(picture.removed);
    removed.add(id);
    picture = new Picture(members, removed, picture.clusterVersion);
    directory.memberRemoved(id);
  }

  private static Picture load(Backend backend) {
    NavigableMap<Long, Member> members = new TreeMap<>(Long::compareUnsigned);
    Set<Long> removed = new HashSet<>();
    try (ReadView view = backend.read()) {
      view.scan(
          Bucket.MEMBERS,
          new byte[0],
          null,
          (key, value) -> {
            Member member = MemberJson.decode(value);
            members.put(member.id(), member);
            return true;
          });
      view.scan(
          Bucket.MEMBERS_REMOVED,
          new byte[0],
          null,
          (key, value) -> {
            removed.add(Long.parseUnsignedLong(new String(key, StandardCharsets.UTF_8), 16));
            return true;
          });
      byte[] version = view.get(Bucket.CLUSTER, CLUSTER_VERSION);
      return new Picture(
          members, removed, version == null ? null : new String(version, StandardCharsets.UTF_8));
    }
  }

  private static NavigableMap<Long, Member> copyOf(NavigableMap<Long, Member> members) {
    return new TreeMap<>(members);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
