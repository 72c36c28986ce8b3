package dev.etcdj.mvcc;

import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;

/// One write under one main revision. Apply loop only. Either [#commit] or [#abandon] ends it;
/// a refusal (an [dev.etcdj.proto.status.EtcdException]) is thrown before anything was changed.
public interface WriteTxn {
  /// The unit the changes go into. The apply loop adds consistent_index and its own records.
  WriteUnit unit();

  /// @throws dev.etcdj.proto.status.EtcdException LEASE_NOT_FOUND, KEY_NOT_FOUND (KV-66)
  OpResult.Put put(Op.Put put);

  OpResult.DeleteRange deleteRange(Op.DeleteRange delete);

  /// Runs checks on the taken path first, then its operations in order (KV-88, KV-91).
  ///
  /// @throws dev.etcdj.proto.status.EtcdException with nothing changed
  OpResult.Nested txn(Txn txn);

  /// Revision of the last commit before this write, or the new one once something changed.
  long revision();

  /// Publishes the unit, then the new revision to readers, then the events to the sink.
  ///
  /// @return the unit's position
  long commit();

  /// Ends the write without any effect; legal only while nothing was changed.
  void abandon();
}
