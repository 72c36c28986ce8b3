package dev.etcdj.mvcc.backend;

import static dev.etcdj.mvcc.backend.lmdb.Lmdb.SUCCESS;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.backend.lmdb.Lmdb;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// An open LMDB environment with a database for each bucket, and one for the backend's own use.
final class LmdbFile {
  private static final String NAME = "db";
  private static final String OWNER = "db-owner";

  /// Holds `format` → `1`, and a row that is written to make a commit count.
  private static final String OWN = "etcdj";

  private static final byte[] FORMAT = {'f', 'o', 'r', 'm', 'a', 't'};
  private static final byte[] TOUCHED = {'t', 'o', 'u', 'c', 'h', 'e', 'd'};
  private static final byte[] VERSION = {'1'};

  /// LMDB's database of database names.
  private static final int MAIN = 1;

  private static final int MODE = 0600;
  private static final int FLAGS = Lmdb.NOSUBDIR | Lmdb.NOTLS;

  private final Path file;
  private final FileChannel owner;
  private final long mapBytes;
  private final int[] dbis = new int[Bucket.values().length];
  private long env;
  private int own;
  private int pageBytes;

  private LmdbFile(Path file, FileChannel owner, long mapBytes) {
    this.file = file;
    this.owner = owner;
    this.mapBytes = mapBytes;
  }

  static LmdbFile open(Path directory, LmdbOptions options) {
    Path file = directory.resolve(NAME);
    FileChannel owner = own(directory);
    LmdbFile lmdb = new LmdbFile(file, owner, options.mapBytes());
    try {
      boolean created = !Files.exists(file);
      if (!created) {
        LmdbFileCheck.check(file, options.mapBytes());
      }
      lmdb.openEnvironment(options);
      lmdb.openDatabases(created);
      sync(directory);
      return lmdb;
    } catch (StorageException e) {
      lmdb.close();
      throw e;
    }
  }

  private static FileChannel own(Path directory) {
    Path file = directory.resolve(OWNER);
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file, CREATE, WRITE);
      if (channel.tryLock() != null) {
        return channel;
      }
      closeQuietly(channel);
      throw new StorageException(file, -1, "in use by another process", null);
    } catch (OverlappingFileLockException e) {
      closeQuietly(channel);
      throw new StorageException(file, -1, "in use by this process", e);
    } catch (IOException e) {
      closeQuietly(channel);
      throw new StorageException(file, -1, "cannot be written", e);
    }
  }

  private void openEnvironment(LmdbOptions options) {
    try (Arena arena = Arena.ofConfined()) {
      long out = arena.allocate(8, 8).address();
      check("cannot make an environment", Lmdb.envCreate(out));
      env = Lmdb.getLong(out);
      check("cannot set the map's size", Lmdb.envSetMapSize(env, mapBytes));
      check("cannot set the databases", Lmdb.envSetMaxDbs(env, dbis.length + 1));
      check("cannot set the readers", Lmdb.envSetMaxReaders(env, options.maxReaders()));
      long path = arena.allocateFrom(file.toString()).address();
      check("cannot be opened", Lmdb.envOpen(env, path, FLAGS, MODE));
    }
  }

  private void openDatabases(boolean created) {
    try (Arena arena = Arena.ofConfined()) {
      long out = arena.allocate(40, 8).address();
      check("cannot begin a write", Lmdb.txnBegin(env, 0, 0, out));
      long txn = Lmdb.getLong(out);
      boolean done = false;
      try {
        check("cannot be measured", Lmdb.stat(txn, MAIN, out));
        pageBytes = Lmdb.getInt(out);
        boolean empty = Lmdb.getLong(out + 32) == 0;
        own = database(txn, OWN, created || empty, arena, out);
        for (Bucket bucket : Bucket.values()) {
          dbis[bucket.ordinal()] = database(txn, bucket.text(), true, arena, out);
        }
        checkFormat(txn, created || empty, arena);
        done = true;
        check("cannot commit", Lmdb.txnCommit(txn));
      } finally {
        if (!done) {
          Lmdb.txnAbort(txn);
        }
      }
    }
  }

  private int database(long txn, String name, boolean create, Arena arena, long out) {
    long text = arena.allocateFrom(name).address();
    int result = Lmdb.dbiOpen(txn, text, create ? Lmdb.CREATE : 0, out);
    if (result == Lmdb.NOTFOUND) {
      throw new StorageException(
          file, -1, "expected a backend of ours, found LMDB data of something else", null);
    }
    check("cannot open " + name, result);
    return Lmdb.getInt(out);
  }

  private void checkFormat(long txn, boolean create, Arena arena) {
    if (create) {
      check("cannot write", set(txn, FORMAT, VERSION, arena));
      return;
    }
    long vals = vals(FORMAT, VERSION, arena);
    int result = Lmdb.get(txn, own, vals, vals + 16);
    byte[] found = result == SUCCESS ? Lmdb.value(vals + 16) : new byte[0];
    if (found.length != 1 || found[0] != VERSION[0]) {
      String text = new String(found, ISO_8859_1);
      throw new StorageException(file, -1, "expected format 1, found '" + text + "'", null);
    }
  }

  /// Changes a row of our own; returns LMDB's result.
  int touch(long txn) {
    try (Arena arena = Arena.ofConfined()) {
      return set(txn, TOUCHED, VERSION, arena);
    }
  }

  private int set(long txn, byte[] key, byte[] value, Arena arena) {
    long vals = vals(key, value, arena);
    return Lmdb.put(txn, own, vals, vals + 16, 0);
  }

  /// Two `MDB_val`s, key and value.
  private static long vals(byte[] key, byte[] value, Arena arena) {
    long vals = arena.allocate(32 + key.length + value.length, 8).address();
    Lmdb.setLong(vals, key.length);
    Lmdb.setLong(vals + 8, vals + 32);
    Lmdb.copyIn(key, key.length, vals + 32);
    Lmdb.setLong(vals + 16, value.length);
    Lmdb.setLong(vals + 24, vals + 32 + key.length);
    Lmdb.copyIn(value, value.length, vals + 32 + key.length);
    return vals;
  }

  Path file() {
    return file;
  }

  long env() {
    return env;
  }

  int dbi(Bucket bucket) {
    return dbis[bucket.ordinal()];
  }

  /// Greatest handle; 0 is the free list, 1 the list of databases.
  int lastDbi() {
    return MAIN + 1 + dbis.length;
  }

  int pageBytes() {
    return pageBytes;
  }

  long mapBytes() {
    return mapBytes;
  }

  /// Pages up to the last that was ever written.
  long pagesEverUsed() {
    try (Arena arena = Arena.ofConfined()) {
      long out = arena.allocate(40, 8).address();
      check("cannot be measured", Lmdb.envInfo(env, out));
      return Lmdb.getLong(out + 16) + 1;
    }
  }

  private void check(String what, int result) {
    if (result != SUCCESS) {
      throw failure(what, result);
    }
  }

  StorageException failure(String what, int result) {
    return new StorageException(file, -1, what + ": " + Lmdb.message(result), null);
  }

  /// Makes a file, or the names in a directory, durable.
  static void sync(Path path) {
    try (FileChannel channel = FileChannel.open(path, READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw new StorageException(path, -1, "cannot be synced", e);
    }
  }

  /// No transaction may be open.
  void close() {
    if (env != 0) {
      Lmdb.envClose(env);
      env = 0;
    }
    closeQuietly(owner);
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException ignored) {
      // Only a lock was held; the process's end frees it too.
    }
  }
}
