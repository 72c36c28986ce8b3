/// The write-ahead log: segmented, preallocated, checksummed, in etcd's file format.
module dev.etcdj.wal {
  requires transitive dev.etcdj.raft;
  requires static transitive org.jspecify;

  exports dev.etcdj.wal;
  exports dev.etcdj.wal.io;
  exports dev.etcdj.wal.segment;
}
