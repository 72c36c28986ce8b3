package dev.etcdj.mvcc.backend;

import static dev.etcdj.mvcc.backend.lmdb.Lmdb.SUCCESS;

import dev.etcdj.mvcc.backend.lmdb.Lmdb;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A read transaction that is used again and again, by one thread at a time.
///
/// ```
/// scratch: | key val 16 | data val 16 | out 40 | key bytes 512 |
/// ```
final class LmdbReader implements Engine.Disk {
  /// [#id] of a reader that holds no snapshot.
  static final long IDLE = -1;

  private static final int DATA = 16;
  private static final int OUT = 32;
  private static final int KEY_BYTES = 72;
  private static final int SCRATCH_BYTES = KEY_BYTES + 512;

  private final LmdbEngine engine;
  private final Arena arena = Arena.ofShared();
  private final long scratch = arena.allocate(SCRATCH_BYTES, 8).address();
  private final long txn;
  private long id;

  /// Opens a transaction on the newest snapshot.
  LmdbReader(LmdbEngine engine, long env) {
    this.engine = engine;
    int result = Lmdb.txnBegin(env, 0, Lmdb.RDONLY, scratch + OUT);
    if (result != SUCCESS) {
      arena.close();
      throw engine.failure("cannot begin a read", result);
    }
    txn = Lmdb.getLong(scratch + OUT);
    id = Lmdb.txnId(txn);
  }

  /// The state this reader sees, or [#IDLE].
  long id() {
    return id;
  }

  /// Moves to the newest snapshot.
  void renew() {
    idle();
    int result = Lmdb.txnRenew(txn);
    if (result != SUCCESS) {
      throw engine.failure("cannot renew a read", result);
    }
    id = Lmdb.txnId(txn);
  }

  /// Gives up the snapshot, so that its pages can be used again.
  void idle() {
    if (id != IDLE) {
      Lmdb.txnReset(txn);
      id = IDLE;
    }
  }

  /// Ends the transaction for good.
  void end() {
    Lmdb.txnAbort(txn);
    arena.close();
  }

  @Override
  public byte @Nullable [] get(Bucket bucket, byte[] key) {
    if (key.length == 0 || key.length > Unit.MAX_KEY_BYTES) {
      return null;
    }
    setKey(key, key.length);
    int result = Lmdb.get(txn, engine.dbi(bucket), scratch, scratch + DATA);
    if (result == Lmdb.NOTFOUND) {
      return null;
    }
    engine.check("cannot read", result);
    return Lmdb.value(scratch + DATA);
  }

  private void setKey(byte[] key, int length) {
    long at = scratch + KEY_BYTES;
    Lmdb.copyIn(key, length, at);
    Lmdb.setLong(scratch, length);
    Lmdb.setLong(scratch + 8, at);
  }

  /// Pages of `dbi`: branch, leaf and overflow.
  long pages(int dbi) {
    engine.check("cannot read statistics", Lmdb.stat(txn, dbi, scratch + OUT));
    long out = scratch + OUT;
    return Lmdb.getLong(out + 8) + Lmdb.getLong(out + 16) + Lmdb.getLong(out + 24);
  }

  @Override
  public Source scan(Bucket bucket, byte[] from) {
    return new Walk(engine.dbi(bucket), from);
  }

  @Override
  public void release() {
    engine.release(this);
  }

  /// A cursor. Key and value are copied when asked for, so a skipped value costs nothing.
  private final class Walk implements Source {
    private final long cursor;
    private byte @Nullable [] key;

    /// Where the value lies in the map; scratch may serve other reads before it is asked for.
    private long valueAddress;

    private int valueBytes;

    Walk(int dbi, byte[] from) {
      engine.check("cannot open a cursor", Lmdb.cursorOpen(txn, dbi, scratch + OUT));
      cursor = Lmdb.getLong(scratch + OUT);
      if (from.length == 0) {
        move(Lmdb.FIRST);
        return;
      }
      setKey(from, Math.min(from.length, Unit.MAX_KEY_BYTES));
      move(Lmdb.SET_RANGE);
      while (key != null && Arrays.compareUnsigned(key, from) < 0) {
        next();
      }
    }

    private void move(int operation) {
      int result = Lmdb.cursorGet(cursor, scratch, scratch + DATA, operation);
      if (result == Lmdb.NOTFOUND) {
        key = null;
        return;
      }
      engine.check("cannot move a cursor", result);
      key = Lmdb.value(scratch);
      valueBytes = (int) Lmdb.getLong(scratch + DATA);
      valueAddress = Lmdb.getLong(scratch + DATA + 8);
    }

    @Override
    public byte @Nullable [] key() {
      return key;
    }

    @Override
    public byte[] value() {
      return Lmdb.copyOut(valueAddress, valueBytes);
    }

    @Override
    public void next() {
      move(Lmdb.NEXT);
    }

    @Override
    public void close() {
      Lmdb.cursorClose(cursor);
    }
  }
}
