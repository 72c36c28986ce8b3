package dev.etcdj.server.apply;

import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.Meta;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChangeCodec;
import dev.etcdj.raft.InvariantViolation;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.raftnode.RaftHandle;
import dev.etcdj.server.raftnode.RaftView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Applies committed entries, each once, in index order (RAFT-120), and answers the requests of
/// this member that made them. Apply loop only, except for the two readings.
///
/// Invariant: applied index = the backend's consistent index.
public final class Applier {
  private final Stores stores;
  private final Membership membership;
  private final RaftHandle raft;
  private final ConfChangeCodec codec;
  private final LocalProposals proposals;
  private final Quota quota;
  private final Hooks hooks;
  private final Executor executor;

  // Written by the apply loop, read by proposers and readers.
  private volatile long appliedIndex;
  private volatile long appliedTerm;
  private volatile long headerTerm;

  /// What apply tells the rest of the member. On the apply loop; must not block.
  public interface Hooks {
    /// The quota was exceeded by an entry: propose NOSPACE, then run `then` (KV-122).
    void raiseNoSpace(Runnable then);

    /// An empty entry was applied: a leader has begun its term (RAFT-122, RAFT-132).
    void termBegan(long term);
  }

  public Applier(
      Stores stores,
      Membership membership,
      RaftHandle raft,
      ConfChangeCodec codec,
      LocalProposals proposals,
      Quota quota,
      CommandGate gate,
      Hooks hooks) {
    this.stores = stores;
    this.membership = membership;
    this.raft = raft;
    this.codec = codec;
    this.proposals = proposals;
    this.quota = quota;
    this.hooks = hooks;
    this.executor = new Executor(stores, membership, gate);
    resume();
  }

  private void resume() {
    executor.backendReplaced();
    try (ReadView view = stores.backend().read()) {
      appliedTerm = Meta.term(view);
      appliedIndex = Meta.consistentIndex(view);
    }
  }

  /// Goes on from the snapshot whose stores are now in force. Entries without effects at its end
  /// may be missing from its consistent index; entries beyond it may not be in it.
  void installed(Snapshot snapshot) {
    resume();
    if (appliedIndex > snapshot.index()) {
      throw new InvariantViolation(
          "snapshot at " + snapshot.index() + " holds entries up to " + appliedIndex);
    }
    if (appliedIndex < snapshot.index()) {
      executor.moveIndex(snapshot.index(), snapshot.term());
    }
    published(snapshot.index(), snapshot.term());
  }

  /// Index of the last applied entry; its effects are visible. Any thread.
  public long appliedIndex() {
    return appliedIndex;
  }

  /// Term of the last applied entry. Any thread.
  public long appliedTerm() {
    return appliedTerm;
  }

  /// Term of the last entry applied since the start, 0 before one: what response headers and
  /// Status report (KV-10). Any thread.
  public long headerTerm() {
    return headerTerm;
  }

  /// Applies one entry; one at or below the applied index is skipped, because the backend holds
  /// its effects already.
  ///
  /// @return null when it is applied; else what must complete before [#finish] may be called
  @Nullable CompletableFuture<ConfState> apply(Entry entry) {
    if (entry.index() <= appliedIndex) {
      return null;
    }
    if (entry.index() != appliedIndex + 1) {
      throw new InvariantViolation(
          "entry " + entry.index() + " comes after applied index " + appliedIndex);
    }
    if (entry.type() != EntryType.NORMAL) {
      return beginConfChange(entry);
    }
    if (entry.data().isEmpty()) {
      applyEmpty(entry);
    } else {
      applyNormal(entry, entry.data().unsafeArray());
    }
    return null;
  }

  private void published(long index, long term) {
    if (headerTerm != term) {
      appliedTerm = term;
      headerTerm = term;
    }
    appliedIndex = index;
  }

  private void applyEmpty(Entry entry) {
    executor.moveIndex(entry.index(), entry.term());
    published(entry.index(), entry.term());
    RaftView view = raft.view();
    if (view.isLeader() && view.term() == entry.term()) {
      stores.lessor().promote(entry.term());
    }
    hooks.termBegan(entry.term());
  }

  private void applyNormal(Entry entry, byte[] data) {
    Command command;
    LocalProposals.Taken proposal;
    try {
      proposal = proposals.take(EntryDecoder.requestId(data));
      Command known = proposal == null ? null : proposal.commandOf(data);
      command = known != null ? known : EntryDecoder.command(data);
    } catch (IOException e) {
      throw new InvariantViolation("entry " + entry.index() + " does not decode: " + e);
    }
    boolean fits = quota.allows(Executor.cost(command));
    ApplyResult result = executor.execute(command, data, entry.index(), entry.term());
    published(entry.index(), entry.term());
    if (!fits && !(result instanceof ApplyResult.Refused)) {
      overQuota(proposal);
    } else if (proposal != null) {
      proposal.done(result);
    }
  }

  /// Executed all the same, but the client is told, once the alarm is up (KV-122).
  private void overQuota(LocalProposals.@Nullable Taken proposal) {
    Runnable answer =
        () -> {
          if (proposal != null) {
            proposal.done(new ApplyResult.Refused(RpcError.NO_SPACE.exception()));
          }
        };
    if (stores.alarms().noSpace()) {
      answer.run();
    } else {
      hooks.raiseNoSpace(answer);
    }
  }

  /// Work of the store that is put off until there is nothing to apply.
  ///
  /// @return whether there is more
  boolean idleStep() {
    return stores.kv().compactIndexStep();
  }

  // ---- configuration changes --------------------------------------------------------------------

  /// A change between the members' records and raft's consent.
  private record Pending(
      Entry entry, WriteUnit unit, ConfChange change, Membership.Applied applied) {}

  private @Nullable Pending pending;

  private CompletableFuture<ConfState> beginConfChange(Entry entry) {
    ConfChange change = codec.decode(entry);
    WriteUnit unit = stores.backend().begin();
    Membership.Applied applied = membership.apply(change, unit);
    pending = new Pending(entry, unit, change, applied);
    return raft.applyConfChange(applied.effective());
  }

  /// Ends the entry for which [#apply] asked to wait.
  void finish(ConfState confState) {
    Pending done = pending;
    if (done == null) {
      throw new InvariantViolation("no configuration change is pending");
    }
    pending = null;
    Entry entry = done.entry();
    Meta.putConfState(done.unit(), json(confState));
    executor.stamp(done.unit(), entry.index(), entry.term());
    done.unit().publish();
    published(entry.index(), entry.term());
    LocalProposals.Taken proposal = proposals.take(done.change().id());
    if (proposal != null) {
      var refusal = done.applied().refusal();
      proposal.done(
          refusal != null
              ? new ApplyResult.Refused(refusal)
              : new ApplyResult.Members(membership.members()));
    }
  }

  /// The form other tools read from bucket `meta`.
  private static byte[] json(ConfState state) {
    StringBuilder json = new StringBuilder("{");
    list(json, "voters", state.voters());
    list(json, "learners", state.learners());
    list(json, "voters_outgoing", state.votersOutgoing());
    list(json, "learners_next", state.learnersNext());
    json.append("\"auto_leave\":").append(state.autoLeave()).append('}');
    return json.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static void list(StringBuilder json, String name, java.util.List<Long> ids) {
    if (!ids.isEmpty()) {
      String numbers = ids.stream().map(Long::toUnsignedString).collect(Collectors.joining(","));
      json.append('"').append(name).append("\":[").append(numbers).append("],");
    }
  }
}
