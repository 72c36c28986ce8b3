package dev.etcdj.mvcc.backend;

import static dev.etcdj.mvcc.backend.lmdb.Lmdb.NOTFOUND;
import static dev.etcdj.mvcc.backend.lmdb.Lmdb.SUCCESS;

import dev.etcdj.mvcc.backend.lmdb.Lmdb;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes batches, one LMDB transaction each. One thread at a time.
///
/// Every commit must raise LMDB's transaction number by one, since readers tell by it which batches
/// a snapshot holds; LMDB skips a transaction that changed nothing, so that one touches a row of
/// its own.
final class LmdbWriter {
  private static final int DATA = 16;
  private static final int OUT = 32;
  private static final int KEY_BYTES = 40;

  private final LmdbFile lmdb;
  private final Arena arena = Arena.ofShared();
  private final long scratch = arena.allocate(KEY_BYTES + 512, 8).address();

  LmdbWriter(LmdbFile lmdb) {
    this.lmdb = lmdb;
  }

  /// Returns LMDB's result; anything but SUCCESS has changed nothing.
  int commit(Overlay batch) {
    int result = Lmdb.txnBegin(lmdb.env(), 0, 0, scratch + OUT);
    if (result != SUCCESS) {
      return result;
    }
    long txn = Lmdb.getLong(scratch + OUT);
    result = write(txn, batch);
    if (result != SUCCESS) {
      Lmdb.txnAbort(txn);
      return result;
    }
    return Lmdb.txnCommit(txn);
  }

  private int write(long txn, Overlay batch) {
    int result = batch.logSize() == 0 ? SUCCESS : append(txn, batch);
    boolean changed = batch.logSize() > 0;
    for (Bucket bucket : Bucket.values()) {
      int dbi = lmdb.dbi(bucket);
      Tree.Walk walk = new Tree.Walk(batch.edits(bucket), new byte[0]);
      for (byte[] key = walk.key(); key != null && result == SUCCESS; key = walk.key()) {
        byte[] value = walk.value();
        result = value == null ? delete(txn, dbi, key) : put(txn, dbi, key, value);
        if (result == NOTFOUND) {
          result = SUCCESS;
        } else {
          changed = true;
        }
        walk.next();
      }
    }
    return result == SUCCESS && !changed ? lmdb.touch(txn) : result;
  }

  /// The log is in order, and almost always above all that is there: then pages are filled one
  /// behind the other, without a search.
  private int append(long txn, Overlay batch) {
    int dbi = lmdb.dbi(Bucket.KEY);
    int result = Lmdb.cursorOpen(txn, dbi, scratch + OUT);
    if (result != SUCCESS) {
      return result;
    }
    long cursor = Lmdb.getLong(scratch + OUT);
    byte[] last = last(cursor);
    for (int i = 0; i < batch.logSize() && result == SUCCESS; i++) {
      byte[] key = batch.logKey(i);
      boolean above = last == null || Arrays.compareUnsigned(key, last) > 0;
      last = above ? null : last;
      byte[] value = batch.logValue(i);
      setKey(key);
      Lmdb.setLong(scratch + DATA, value.length);
      int flags = above ? Lmdb.APPEND | Lmdb.RESERVE : Lmdb.RESERVE;
      result = Lmdb.cursorPut(cursor, scratch, scratch + DATA, flags);
      if (result == SUCCESS) {
        Lmdb.copyIn(value, value.length, Lmdb.getLong(scratch + DATA + 8));
      }
    }
    Lmdb.cursorClose(cursor);
    return result;
  }

  private byte @Nullable [] last(long cursor) {
    int result = Lmdb.cursorGet(cursor, scratch, scratch + DATA, Lmdb.LAST);
    return result == SUCCESS ? Lmdb.value(scratch) : null;
  }

  private int put(long txn, int dbi, byte[] key, byte[] value) {
    setKey(key);
    Lmdb.setLong(scratch + DATA, value.length);
    int result = Lmdb.put(txn, dbi, scratch, scratch + DATA, Lmdb.RESERVE);
    if (result == SUCCESS) {
      Lmdb.copyIn(value, value.length, Lmdb.getLong(scratch + DATA + 8));
    }
    return result;
  }

  private int delete(long txn, int dbi, byte[] key) {
    setKey(key);
    return Lmdb.delete(txn, dbi, scratch, 0);
  }

  private void setKey(byte[] key) {
    Lmdb.copyIn(key, key.length, scratch + KEY_BYTES);
    Lmdb.setLong(scratch, key.length);
    Lmdb.setLong(scratch + 8, scratch + KEY_BYTES);
  }

  void close() {
    arena.close();
  }
}
