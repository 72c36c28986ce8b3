package dev.etcdj.mvcc.backend;

import static org.lmdbjava.PutFlags.MDB_APPEND;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/// Writes batches, one LMDB transaction each. One thread at a time.
///
/// Every commit must raise LMDB's transaction number by one, since readers tell by it which batches
/// a snapshot holds; LMDB skips a transaction that changed nothing, so that one touches a row of
/// its own.
final class LmdbWriter {
  private static final PutFlags[] AT_THE_END = {MDB_APPEND};
  private static final PutFlags[] ANYWHERE = {};

  private final LmdbFile lmdb;
  private final ByteBuffer keyRoom = LmdbFile.keyRoom();

  LmdbWriter(LmdbFile lmdb) {
    this.lmdb = lmdb;
  }

  /// Makes `batch` durable.
  ///
  /// @throws org.lmdbjava.LmdbException whatever LMDB says; the transaction has ended then
  void commit(Overlay batch) {
    try (Txn<ByteBuffer> txn = lmdb.env().txnWrite()) {
      boolean changed = batch.logSize() > 0;
      if (changed) {
        append(txn, batch);
      }
      for (Bucket bucket : Bucket.values()) {
        changed |= edit(txn, lmdb.dbi(bucket), batch.edits(bucket));
      }
      if (!changed) {
        lmdb.touch(txn);
      }
      txn.commit();
    }
  }

  /// The log is in order, and almost always above all that is there: then pages are filled one
  /// behind the other, without a search.
  private void append(Txn<ByteBuffer> txn, Overlay batch) {
    try (Cursor<ByteBuffer> cursor = lmdb.dbi(Bucket.KEY).openCursor(txn)) {
      byte[] last = cursor.last() ? LmdbFile.copy(cursor.key()) : null;
      for (int i = 0; i < batch.logSize(); i++) {
        byte[] key = batch.logKey(i);
        boolean above = last == null || Arrays.compareUnsigned(key, last) > 0;
        last = above ? null : last;
        byte[] value = batch.logValue(i);
        LmdbFile.fill(keyRoom, key);
        cursor.reserve(keyRoom, value.length, above ? AT_THE_END : ANYWHERE).put(value);
      }
    }
  }

  /// Whether anything was changed.
  private boolean edit(Txn<ByteBuffer> txn, Dbi<ByteBuffer> dbi, @Nullable Tree edits) {
    boolean changed = false;
    Tree.Walk walk = new Tree.Walk(edits, new byte[0]);
    for (byte[] key = walk.key(); key != null; key = walk.key()) {
      LmdbFile.fill(keyRoom, key);
      byte[] value = walk.value();
      if (value == null) {
        changed |= dbi.delete(txn, keyRoom);
      } else {
        dbi.reserve(txn, keyRoom, value.length, ANYWHERE).put(value);
        changed = true;
      }
      walk.next();
    }
    return changed;
  }
}
