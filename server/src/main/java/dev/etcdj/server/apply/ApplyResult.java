package dev.etcdj.server.apply;

import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.server.membership.Member;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What came of a command: the same on every member, except that only the proposer looks.
public sealed interface ApplyResult {
  /// Nothing was changed, or the change was made over the quota (KV-122).
  record Refused(EtcdException error) implements ApplyResult {}

  /// A put, delete or transaction was executed.
  record Executed(OpResult result) implements ApplyResult {}

  /// The compacted revision is set, or was already (`refusal`).
  ///
  /// @param physicalDone completes when the physical work so far is done and durable
  record Compacted(
      long revision, @Nullable EtcdException refusal, CompletableFuture<Void> physicalDone)
      implements ApplyResult {}

  /// A lease stands.
  record Granted(long revision, long id, long ttlSeconds) implements ApplyResult {}

  /// A lease is gone, with its keys.
  record Revoked(long revision) implements ApplyResult {}

  /// Alarms asked for or changed.
  record Alarms(long revision, List<AlarmMember> alarms) implements ApplyResult {}

  /// The members after a change.
  record Members(List<Member> members) implements ApplyResult {}

  /// Done, with nothing to say.
  record Done() implements ApplyResult {}

  /// The one [Done].
  Done DONE = new Done();
}
