package dev.etcdj.mvcc;

import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.Txn;
import java.util.ArrayList;
import java.util.List;

/// Which way a transaction goes, decided for all levels before anything of it runs (KV-81).
///
/// @param ops of the taken branch
/// @param nested plans of the nested transactions among `ops`, in their order
record TxnPlan(boolean succeeded, List<Op> ops, List<TxnPlan> nested) {

  static TxnPlan of(Reading state, Txn txn) {
    boolean succeeded = Conditions.hold(state, txn.compare());
    List<Op> ops = succeeded ? txn.success() : txn.failure();
    List<TxnPlan> nested = new ArrayList<>();
    for (Op op : ops) {
      if (op instanceof Op.Nested child) {
        nested.add(of(state, child.txn()));
      }
    }
    return new TxnPlan(succeeded, ops, nested);
  }

  /// The operations that will run, in order, without the transactions they are nested in.
  List<Op> flattened() {
    if (nested.isEmpty()) {
      return ops;
    }
    List<Op> flat = new ArrayList<>();
    addTo(flat);
    return flat;
  }

  private void addTo(List<Op> flat) {
    int child = 0;
    for (Op op : ops) {
      switch (op) {
        case Op.Nested ignored -> nested.get(child++).addTo(flat);
        case Op.Range range -> flat.add(range);
        case Op.Put put -> flat.add(put);
        case Op.DeleteRange delete -> flat.add(delete);
      }
    }
  }
}
