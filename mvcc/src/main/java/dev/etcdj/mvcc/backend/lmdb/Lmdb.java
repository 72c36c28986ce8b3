package dev.etcdj.mvcc.backend.lmdb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/// LMDB's functions as they are in `lmdb.h`, pointers as numbers, results as its codes. Nothing is
/// checked: a wrong address ends the process.
///
/// A value goes in and out as an `MDB_val`: 8 bytes of length, 8 bytes of address.
public final class Lmdb {
  /// The environment is a file, not a folder.
  public static final int NOSUBDIR = 0x4000;

  /// Read transactions belong to no thread.
  public static final int NOTLS = 0x20_0000;

  /// Of [#txnBegin].
  public static final int RDONLY = 0x2_0000;

  /// Of [#dbiOpen].
  public static final int CREATE = 0x4_0000;

  /// Of [#put]: hand out the room for the value instead of copying one.
  public static final int RESERVE = 0x1_0000;

  /// Of [#put]: the key is greater than all others.
  public static final int APPEND = 0x2_0000;

  /// Of [#envCopy]: leave free pages out.
  public static final int CP_COMPACT = 1;

  /// Of [#cursorGet].
  public static final int FIRST = 0;

  /// Of [#cursorGet].
  public static final int LAST = 6;

  /// Of [#cursorGet].
  public static final int NEXT = 8;

  /// Of [#cursorGet]: the first key ≥ the given one.
  public static final int SET_RANGE = 17;

  /// Result: done.
  public static final int SUCCESS = 0;

  /// Result: no such key.
  public static final int NOTFOUND = -30798;

  /// Result: the map is full.
  public static final int MAP_FULL = -30792;

  /// Result: the disk is full.
  public static final int ENOSPC = 28;

  /// Result: the user's share of the disk is full.
  public static final int EDQUOT = 122;

  /// All memory, to be read and written by address.
  public static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final SymbolLookup LIBRARY = NativeLibrary.load();
  private static final Linker LINKER = Linker.nativeLinker();

  private static final MethodHandle ENV_CREATE = function("env_create", JAVA_INT, JAVA_LONG);
  private static final MethodHandle ENV_SET_MAPSIZE =
      function("env_set_mapsize", JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle ENV_SET_MAXDBS =
      function("env_set_maxdbs", JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle ENV_SET_MAXREADERS =
      function("env_set_maxreaders", JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle ENV_OPEN =
      function("env_open", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle ENV_CLOSE = procedure("env_close", JAVA_LONG);
  private static final MethodHandle ENV_INFO = function("env_info", JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle ENV_COPY2 =
      function("env_copy2", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle TXN_BEGIN =
      function("txn_begin", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle TXN_ID = function("txn_id", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle TXN_COMMIT = function("txn_commit", JAVA_INT, JAVA_LONG);
  private static final MethodHandle TXN_ABORT = procedure("txn_abort", JAVA_LONG);
  private static final MethodHandle TXN_RESET = procedure("txn_reset", JAVA_LONG);
  private static final MethodHandle TXN_RENEW = function("txn_renew", JAVA_INT, JAVA_LONG);
  private static final MethodHandle DBI_OPEN =
      function("dbi_open", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle STAT =
      function("stat", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle GET =
      function("get", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle PUT =
      function("put", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle DEL =
      function("del", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle CURSOR_OPEN =
      function("cursor_open", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle CURSOR_CLOSE = procedure("cursor_close", JAVA_LONG);
  private static final MethodHandle CURSOR_GET =
      function("cursor_get", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle CURSOR_PUT =
      function("cursor_put", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle STRERROR = function("strerror", JAVA_LONG, JAVA_INT);

  private Lmdb() {}

  private static MethodHandle function(String name, MemoryLayout result, MemoryLayout... args) {
    return LINKER.downcallHandle(
        LIBRARY.findOrThrow("mdb_" + name), FunctionDescriptor.of(result, args));
  }

  private static MethodHandle procedure(String name, MemoryLayout... args) {
    return LINKER.downcallHandle(
        LIBRARY.findOrThrow("mdb_" + name), FunctionDescriptor.ofVoid(args));
  }

  /// What a result means.
  public static String message(int code) {
    return text(strerror(code)) + " (" + code + ")";
  }

  /// The zero-ended text at `address`.
  private static String text(long address) {
    return MEMORY.getString(address);
  }

  /// Reads an address or size.
  public static long getLong(long address) {
    return MEMORY.get(JAVA_LONG, address);
  }

  /// Writes an address or size.
  public static void setLong(long address, long value) {
    MEMORY.set(JAVA_LONG, address, value);
  }

  /// Reads an int.
  public static int getInt(long address) {
    return MEMORY.get(JAVA_INT, address);
  }

  /// Copies the first `length` bytes of `from` to `address`.
  public static void copyIn(byte[] from, int length, long address) {
    MemorySegment.copy(from, 0, MEMORY, JAVA_BYTE, address, length);
  }

  /// Copies the bytes an `MDB_val` speaks of.
  public static byte[] value(long val) {
    return copyOut(getLong(val + 8), (int) getLong(val));
  }

  /// Copies `length` bytes at `address`.
  public static byte[] copyOut(long address, int length) {
    byte[] to = new byte[length];
    MemorySegment.copy(MEMORY, JAVA_BYTE, address, to, 0, length);
    return to;
  }

  private static Error unreachable(@Nullable Throwable e) {
    return new AssertionError("native call threw", e);
  }

  /// `mdb_env_create`. Writes the new environment's address to `out`.
  public static int envCreate(long out) {
    try {
      return (int) ENV_CREATE.invokeExact(out);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_set_mapsize`.
  public static int envSetMapSize(long env, long bytes) {
    try {
      return (int) ENV_SET_MAPSIZE.invokeExact(env, bytes);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_set_maxdbs`.
  public static int envSetMaxDbs(long env, int count) {
    try {
      return (int) ENV_SET_MAXDBS.invokeExact(env, count);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_set_maxreaders`.
  public static int envSetMaxReaders(long env, int count) {
    try {
      return (int) ENV_SET_MAXREADERS.invokeExact(env, count);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_open`.
  public static int envOpen(long env, long path, int flags, int mode) {
    try {
      return (int) ENV_OPEN.invokeExact(env, path, flags, mode);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_close`.
  public static void envClose(long env) {
    try {
      ENV_CLOSE.invokeExact(env);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_info`. Fills 40 bytes: map address, map size, last page, last transaction, readers.
  public static int envInfo(long env, long out) {
    try {
      return (int) ENV_INFO.invokeExact(env, out);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_env_copy2`.
  public static int envCopy(long env, long path, int flags) {
    try {
      return (int) ENV_COPY2.invokeExact(env, path, flags);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_txn_begin`. Writes the transaction's address to `out`.
  public static int txnBegin(long env, long parent, int flags, long out) {
    try {
      return (int) TXN_BEGIN.invokeExact(env, parent, flags, out);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_txn_id`.
  public static long txnId(long txn) {
    try {
      return (long) TXN_ID.invokeExact(txn);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_txn_commit`. Frees the transaction, whatever the result.
  public static int txnCommit(long txn) {
    try {
      return (int) TXN_COMMIT.invokeExact(txn);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_txn_abort`.
  public static void txnAbort(long txn) {
    try {
      TXN_ABORT.invokeExact(txn);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_txn_reset`.
  public static void txnReset(long txn) {
    try {
      TXN_RESET.invokeExact(txn);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_txn_renew`.
  public static int txnRenew(long txn) {
    try {
      return (int) TXN_RENEW.invokeExact(txn);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_dbi_open`. Writes the handle, an int, to `out`.
  public static int dbiOpen(long txn, long name, int flags, long out) {
    try {
      return (int) DBI_OPEN.invokeExact(txn, name, flags, out);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_stat`. Fills 40 bytes: page size, depth (ints), branch, leaf, overflow pages, entries.
  public static int stat(long txn, int dbi, long out) {
    try {
      return (int) STAT.invokeExact(txn, dbi, out);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_get`.
  public static int get(long txn, int dbi, long key, long data) {
    try {
      return (int) GET.invokeExact(txn, dbi, key, data);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_put`.
  public static int put(long txn, int dbi, long key, long data, int flags) {
    try {
      return (int) PUT.invokeExact(txn, dbi, key, data, flags);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_del`.
  public static int delete(long txn, int dbi, long key, long data) {
    try {
      return (int) DEL.invokeExact(txn, dbi, key, data);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_cursor_open`. Writes the cursor's address to `out`.
  public static int cursorOpen(long txn, int dbi, long out) {
    try {
      return (int) CURSOR_OPEN.invokeExact(txn, dbi, out);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_cursor_close`.
  public static void cursorClose(long cursor) {
    try {
      CURSOR_CLOSE.invokeExact(cursor);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_cursor_get`.
  public static int cursorGet(long cursor, long key, long data, int operation) {
    try {
      return (int) CURSOR_GET.invokeExact(cursor, key, data, operation);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_cursor_put`.
  public static int cursorPut(long cursor, long key, long data, int flags) {
    try {
      return (int) CURSOR_PUT.invokeExact(cursor, key, data, flags);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }

  /// `mdb_strerror`.
  private static long strerror(int code) {
    try {
      return (long) STRERROR.invokeExact(code);
    } catch (Throwable e) {
      throw unreachable(e);
    }
  }
}
