package dev.etcdj.mvcc.backend;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/// A read transaction that is used again and again, by one thread at a time.
final class LmdbReader implements Engine.Disk {
  /// [#id] of a reader that holds no snapshot.
  static final long IDLE = -1;

  private final LmdbEngine engine;
  private final ByteBuffer keyRoom = LmdbFile.keyRoom();
  private final Txn<ByteBuffer> txn;
  private long id;

  /// Opens a transaction on the newest snapshot.
  LmdbReader(LmdbEngine engine, LmdbFile lmdb) {
    this.engine = engine;
    try {
      txn = lmdb.env().txnRead();
    } catch (LmdbException e) {
      throw lmdb.failure("cannot begin a read", e);
    }
    id = txn.getId();
  }

  /// The state this reader sees, or [#IDLE].
  long id() {
    return id;
  }

  /// For statistics.
  Txn<ByteBuffer> txn() {
    return txn;
  }

  /// Moves to the newest snapshot.
  void renew() {
    idle();
    try {
      txn.renew();
    } catch (LmdbException e) {
      throw engine.failure("cannot renew a read", e);
    }
    id = txn.getId();
  }

  /// Gives up the snapshot, so that its pages can be used again.
  void idle() {
    if (id != IDLE) {
      txn.reset();
      id = IDLE;
    }
  }

  /// Ends the transaction for good.
  void end() {
    try {
      if (id == IDLE) {
        txn.renew(); // closing one that was reset would keep its place among the readers
      }
      txn.close();
    } catch (LmdbException ignored) {
      // LMDB has failed for good. The place is freed with the environment.
    }
  }

  @Override
  public byte @Nullable [] get(Bucket bucket, byte[] key) {
    ByteBuffer value = lend(bucket, key);
    return value == null ? null : LmdbFile.copy(value);
  }

  /// Nothing in the map changes under a transaction that is open, so addresses stay good.
  @Override
  public boolean pin(Bucket bucket, byte[] key, PinnedValues into) {
    ByteBuffer value = lend(bucket, key);
    if (value != null) {
      into.addDirect(value);
    }
    return value != null;
  }

  /// The value of `key` in the map, in a buffer that the next call uses again.
  private @Nullable ByteBuffer lend(Bucket bucket, byte[] key) {
    if (key.length == 0 || key.length > Unit.MAX_KEY_BYTES) {
      return null;
    }
    LmdbFile.fill(keyRoom, key);
    try {
      return engine.dbi(bucket).get(txn, keyRoom);
    } catch (LmdbException e) {
      throw engine.failure("cannot read", e);
    }
  }

  @Override
  public Source scan(Bucket bucket, byte[] from) {
    try {
      Walk walk = new Walk(engine.dbi(bucket).openCursor(txn));
      walk.seek(from);
      return walk;
    } catch (LmdbException e) {
      throw engine.failure("cannot scan", e);
    }
  }

  @Override
  public void release() {
    engine.release(this);
  }

  /// A cursor. The value is copied when asked for, so a skipped one costs nothing.
  private final class Walk implements Source {
    private final Cursor<ByteBuffer> cursor;
    private byte @Nullable [] key;

    Walk(Cursor<ByteBuffer> cursor) {
      this.cursor = cursor;
    }

    /// Longer keys than LMDB takes are looked for by what it takes.
    private void seek(byte[] from) {
      if (from.length == 0) {
        stand(cursor.first());
        return;
      }
      int length = Math.min(from.length, Unit.MAX_KEY_BYTES);
      keyRoom.clear().put(from, 0, length).flip();
      stand(cursor.get(keyRoom, GetOp.MDB_SET_RANGE));
      while (key != null && Arrays.compareUnsigned(key, from) < 0) {
        stand(cursor.next());
      }
    }

    private void stand(boolean found) {
      key = found ? LmdbFile.copy(cursor.key()) : null;
    }

    @Override
    public byte @Nullable [] key() {
      return key;
    }

    @Override
    public byte[] value() {
      return LmdbFile.copy(cursor.val());
    }

    @Override
    public void next() {
      try {
        stand(cursor.next());
      } catch (LmdbException e) {
        throw engine.failure("cannot move a cursor", e);
      }
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
