/// HashKV: a checksum over the stored rows, equal on all members at equal revisions (KV-110..115).
///
/// [dev.etcdj.mvcc.hash.StoreHash] computes one on any thread, [dev.etcdj.mvcc.hash.HashLog] keeps
/// those that compactions leave behind, [dev.etcdj.mvcc.hash.RowHash] is the checksum itself.
@NullMarked
package dev.etcdj.mvcc.hash;

import org.jspecify.annotations.NullMarked;
