package dev.etcdj.server.apply;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.WriteTxn;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.Meta;
import dev.etcdj.mvcc.schema.RowKeys;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import dev.etcdj.proto.leasepb.Lease;
import dev.etcdj.proto.membershippb.DowngradeInfoSetRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.membership.Membership;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/// Executes one command in one unit that also moves the consistent index (RAFT-121). A refusal
/// leaves nothing behind but the index. Reads no clock, randomness or configuration, so that every
/// member does the same. Apply loop only.
final class Executor {
  private final Stores stores;
  private final Membership membership;
  private final CommandGate gate;
  // Term in the backend's `meta` bucket; 0 when it may be anything, as after a snapshot.
  private long stampedTerm;

  Executor(Stores stores, Membership membership, CommandGate gate) {
    this.stores = stores;
    this.membership = membership;
    this.gate = gate;
  }

  /// @param data the entry's, for the permission check
  ApplyResult execute(Command command, byte[] data, long index, long term) {
    EtcdException refusal = refusal(command, data);
    if (refusal != null) {
      return refused(refusal, index, term);
    }
    return switch (command) {
      case Command.Put put -> write(txn -> txn.put(put.op()), index, term);
      case Command.DeleteRange delete -> write(txn -> txn.deleteRange(delete.op()), index, term);
      case Command.Txn txn -> write(write -> write.txn(txn.txn()), index, term);
      case Command.Range range -> read(range, index, term);
      case Command.Compact compact -> compact(compact.revision(), index, term);
      case Command.LeaseGrant grant -> grant(grant, index, term);
      case Command.LeaseRevoke revoke -> revoke(revoke.id(), index, term);
      case Command.LeaseCheckpoint checkpoint ->
          record(unit -> checkpoint(checkpoint.leases(), unit), index, term);
      case Command.Alarm alarm -> alarm(alarm, index, term);
      case Command.MemberAttributes attributes ->
          record(unit -> membership.apply(attributes.request(), unit), index, term);
      case Command.ClusterVersion version ->
          record(unit -> membership.apply(version.request(), unit), index, term);
      case Command.Downgrade downgrade ->
          record(unit -> writeDowngrade(downgrade.request(), unit), index, term);
      case Command.Nothing _ -> record(_ -> {}, index, term);
      case Command.Invalid invalid -> refused(invalid.why(), index, term);
    };
  }

  /// CORRUPT, then NOSPACE, then permission (KV-23, KV-123, KV-125).
  private @org.jspecify.annotations.Nullable EtcdException refusal(Command command, byte[] data) {
    if (stores.alarms().corrupt() && stopsWhenCorrupt(command)) {
      return RpcError.CORRUPT.exception();
    }
    if (stores.alarms().noSpace() && cost(command) > 0) {
      return RpcError.NO_SPACE.exception();
    }
    return gate.refusal(command, data);
  }

  private static boolean stopsWhenCorrupt(Command command) {
    return switch (command) {
      // A transaction that is replicated writes, or holds others (KV-94, KV-96).
      case Command.Put _,
          Command.Txn _,
          Command.DeleteRange _,
          Command.Compact _,
          Command.LeaseGrant _,
          Command.LeaseRevoke _ ->
          true;
      case Command.Range _,
          Command.LeaseCheckpoint _,
          Command.Alarm _,
          Command.MemberAttributes _,
          Command.ClusterVersion _,
          Command.Downgrade _,
          Command.Nothing _,
          Command.Invalid _ ->
          false;
    };
  }

  /// Bytes counted against the quota (KV-121).
  static long cost(Command command) {
    return switch (command) {
      case Command.Put put -> Commands.cost(put.op());
      case Command.Txn txn -> txn.cost();
      case Command.LeaseGrant _ -> Commands.LEASE_BYTES;
      case Command.DeleteRange _,
          Command.Range _,
          Command.Compact _,
          Command.LeaseRevoke _,
          Command.LeaseCheckpoint _,
          Command.Alarm _,
          Command.MemberAttributes _,
          Command.ClusterVersion _,
          Command.Downgrade _,
          Command.Nothing _,
          Command.Invalid _ ->
          0;
    };
  }

  private ApplyResult write(Function<WriteTxn, OpResult> operation, long index, long term) {
    WriteTxn txn = stores.kv().beginWrite();
    OpResult result;
    try {
      result = operation.apply(txn);
    } catch (EtcdException e) {
      txn.abandon();
      return refused(e, index, term);
    }
    stamp(txn.unit(), index, term);
    txn.commit();
    return new ApplyResult.Executed(result);
  }

  private ApplyResult read(Command.Range range, long index, long term) {
    moveIndex(index, term);
    try {
      return new ApplyResult.Executed(new OpResult.Range(stores.kv().range(range.query())));
    } catch (EtcdException e) {
      return new ApplyResult.Refused(e);
    }
  }

  private ApplyResult compact(long revision, long index, long term) {
    WriteUnit unit = stores.backend().begin();
    EtcdException refusal = null;
    CompletableFuture<Void> done;
    try {
      done = stores.kv().compact(revision, unit);
    } catch (EtcdException e) {
      refusal = e;
      done = stores.kv().compactionIdle();
    }
    stamp(unit, index, term);
    unit.publish();
    return new ApplyResult.Compacted(stores.kv().revision(), refusal, done);
  }

  private ApplyResult grant(Command.LeaseGrant grant, long index, long term) {
    WriteUnit unit = stores.backend().begin();
    long ttl;
    try {
      ttl = stores.lessor().grant(grant.id(), grant.ttlSeconds(), unit);
    } catch (EtcdException e) {
      return refused(e, index, term);
    }
    stamp(unit, index, term);
    unit.publish();
    return new ApplyResult.Granted(stores.kv().revision(), grant.id(), ttl);
  }

  private ApplyResult revoke(long id, long index, long term) {
    List<ByteString> keys = stores.lessor().attachedKeys(id);
    if (keys == null) {
      return refused(RpcError.LEASE_NOT_FOUND.exception(), index, term);
    }
    if (keys.isEmpty()) {
      WriteUnit unit = stores.backend().begin();
      stores.lessor().remove(id, unit);
      stamp(unit, index, term);
      unit.publish();
      return new ApplyResult.Revoked(stores.kv().revision());
    }
    WriteTxn txn = stores.kv().beginWrite();
    for (ByteString key : keys) {
      var _ = txn.deleteRange(new Op.DeleteRange(key, ByteString.EMPTY, false));
    }
    long revision = txn.revision();
    stores.lessor().remove(id, txn.unit());
    stamp(txn.unit(), index, term);
    txn.commit();
    return new ApplyResult.Revoked(revision);
  }

  private void checkpoint(List<Lease> leases, WriteUnit unit) {
    for (Lease lease : leases) {
      stores.lessor().checkpoint(lease.getID(), lease.getRemainingTTL(), unit);
    }
  }

  private ApplyResult alarm(Command.Alarm alarm, long index, long term) {
    WriteUnit unit = stores.backend().begin();
    List<AlarmMember> alarms =
        stores.alarms().apply(alarm.action(), alarm.memberId(), alarm.kind(), unit);
    stamp(unit, index, term);
    unit.publish();
    return new ApplyResult.Alarms(stores.kv().revision(), alarms);
  }

  private static void writeDowngrade(DowngradeInfoSetRequest request, WriteUnit unit) {
    String target = request.getEnabled() ? request.getVer() : "";
    String json =
        "{\"target-version\":\"" + target + "\",\"enabled\":" + request.getEnabled() + "}";
    unit.put(Bucket.CLUSTER, RowKeys.downgrade(), json.getBytes(StandardCharsets.UTF_8));
  }

  private ApplyResult record(Consumer<WriteUnit> change, long index, long term) {
    WriteUnit unit = stores.backend().begin();
    change.accept(unit);
    stamp(unit, index, term);
    unit.publish();
    return ApplyResult.DONE;
  }

  private ApplyResult refused(EtcdException why, long index, long term) {
    moveIndex(index, term);
    return new ApplyResult.Refused(why);
  }

  /// Adds the entry's place to the unit that holds its effects.
  void stamp(WriteUnit unit, long index, long term) {
    if (term == stampedTerm) {
      Meta.putConsistentIndex(unit, index);
    } else {
      Meta.putApplied(unit, index, term);
      stampedTerm = term;
    }
  }

  /// The backend was replaced by another.
  void backendReplaced() {
    stampedTerm = 0;
  }

  /// For entries without effects.
  void moveIndex(long index, long term) {
    WriteUnit unit = stores.backend().begin();
    stamp(unit, index, term);
    unit.publish();
  }
}
