package dev.etcdj.mvcc;

import dev.etcdj.mvcc.index.Hit;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.proto.status.RpcError;
import java.util.List;

/// Decides before execution whether operations can be done, so that a refusal leaves nothing
/// behind and is the same on every member. Every method throws the refusal as an
/// [dev.etcdj.proto.status.EtcdException].
final class WriteChecks {
  private WriteChecks() {}

  /// Checks what will run, in order (KV-88).
  static void check(Reading state, LeaseBook leases, List<Op> ops) {
    boolean deletes = false;
    boolean reliesOnKey = false;
    for (Op op : ops) {
      switch (op) {
        case Op.Range range -> checkRevision(state, range.query().revision());
        case Op.Put put -> {
          checkPut(state, leases, put);
          reliesOnKey |= reliesOnKey(put);
        }
        case Op.DeleteRange ignored -> deletes = true;
        case Op.Nested ignored -> throw new InvariantViolation("nested operation in a flat list");
      }
    }
    if (deletes && reliesOnKey) {
      checkKeysSurvive(ops);
    }
  }

  /// KV-66.
  static void checkPut(Reading state, LeaseBook leases, Op.Put put) {
    if (put.lease() != 0 && !leases.exists(put.lease())) {
      throw RpcError.LEASE_NOT_FOUND.exception();
    }
    if (reliesOnKey(put)
        && !state.index().find(put.key().toByteArray(), IndexView.NEWEST, new Hit())) {
      throw RpcError.KEY_NOT_FOUND.exception();
    }
  }

  /// Unlike a plain read, a negative revision is compacted once below the compacted one (KV-89).
  private static void checkRevision(Reading state, long revision) {
    if (revision > state.revision()) {
      throw RpcError.FUTURE_REV.exception();
    }
    if (revision != 0 && revision < state.compacted()) {
      throw RpcError.COMPACTED.exception();
    }
  }

  /// A put that keeps value or lease needs its key when its turn comes, which an earlier deletion
  /// of the same transaction may have taken away (KV-77).
  private static void checkKeysSurvive(List<Op> ops) {
    DeletedKeys deleted = new DeletedKeys();
    for (Op op : ops) {
      switch (op) {
        case Op.DeleteRange delete -> deleted.delete(delete.key(), delete.rangeEnd());
        case Op.Put put -> {
          if (reliesOnKey(put) && deleted.contains(put.key())) {
            throw RpcError.KEY_NOT_FOUND.exception();
          }
          deleted.put(put.key());
        }
        case Op.Range ignored -> {}
        case Op.Nested ignored -> {}
      }
    }
  }

  private static boolean reliesOnKey(Op.Put put) {
    return put.ignoreValue() || put.ignoreLease();
  }
}
