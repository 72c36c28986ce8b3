/// The versioned key-value store: LMDB backend, revisions, key index, reads, transactions,
/// compaction, hashes, watches and snapshot files.
module dev.etcdj.mvcc {
  requires transitive dev.etcdj.proto;
  requires lmdbjava;
  requires static transitive org.jspecify;

  exports dev.etcdj.mvcc;
  exports dev.etcdj.mvcc.backend;
  exports dev.etcdj.mvcc.bbolt;
  exports dev.etcdj.mvcc.schema;
  exports dev.etcdj.mvcc.txn;
  exports dev.etcdj.mvcc.watch;
}
