package dev.etcdj.mvcc.backend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.etcdj.mvcc.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.CopyFlags;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Stat;
import org.lmdbjava.Txn;

/// An open LMDB environment with a database for each bucket, and one for the backend's own use.
///
/// Keys and values go in and out of LMDB as direct buffers: a byte array would be copied through
/// native memory of its own for each call.
final class LmdbFile {
  private static final String NAME = "db";
  private static final String OWNER = "db-owner";

  /// Holds `format` → `1`, and a row that is written to make a commit count.
  private static final String OWN = "etcdj";

  private static final byte[] FORMAT = {'f', 'o', 'r', 'm', 'a', 't'};
  private static final byte[] TOUCHED = {'t', 'o', 'u', 'c', 'h', 'e', 'd'};
  private static final byte[] VERSION = {'1'};

  private static final int MODE = 0600;

  private final Path file;
  private final FileChannel owner;
  private final long mapBytes;
  private final Env<ByteBuffer> env;

  /// LMDB's database of database names.
  private final Dbi<ByteBuffer> main;

  private final Dbi<ByteBuffer> own;
  private final Map<Bucket, Dbi<ByteBuffer>> dbis = new EnumMap<>(Bucket.class);
  private final int pageBytes;

  /// Opens the databases, and makes them in a new environment.
  private LmdbFile(
      Path file, FileChannel owner, Env<ByteBuffer> env, long mapBytes, boolean created) {
    this.file = file;
    this.owner = owner;
    this.mapBytes = mapBytes;
    this.env = env;
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      main = env.openDbi(txn, null, null, false);
      Stat names = main.stat(txn);
      pageBytes = names.pageSize;
      boolean create = created || names.entries == 0;
      own = create ? create(txn, OWN) : openOwn(txn);
      for (Bucket bucket : Bucket.values()) {
        dbis.put(bucket, create(txn, bucket.text()));
      }
      if (create) {
        set(txn, FORMAT);
      } else {
        checkFormat(txn);
      }
      txn.commit();
    } catch (LmdbException e) {
      throw failure("cannot be opened", e);
    }
  }

  static LmdbFile open(Path directory, LmdbOptions options) {
    Path file = directory.resolve(NAME);
    FileChannel owner = own(directory);
    Env<ByteBuffer> env = null;
    try {
      boolean created = !Files.exists(file);
      if (!created) {
        LmdbFileCheck.check(file, options.mapBytes());
      }
      env = openEnvironment(file, options);
      LmdbFile lmdb = new LmdbFile(file, owner, env, options.mapBytes(), created);
      sync(directory);
      return lmdb;
    } catch (StorageException e) {
      close(env, owner);
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

  private static Env<ByteBuffer> openEnvironment(Path file, LmdbOptions options) {
    LmdbLibrary.load();
    try {
      return Env.create()
          .setMapSize(options.mapBytes())
          .setMaxDbs(Bucket.values().length + 1)
          .setMaxReaders(options.maxReaders())
          .open(file.toFile(), MODE, EnvFlags.MDB_NOSUBDIR, EnvFlags.MDB_NOTLS);
    } catch (LmdbException e) {
      throw failure(file, "cannot be opened", e);
    }
  }

  private Dbi<ByteBuffer> create(Txn<ByteBuffer> txn, String name) {
    return env.openDbi(txn, name.getBytes(ISO_8859_1), null, false, DbiFlags.MDB_CREATE);
  }

  private Dbi<ByteBuffer> openOwn(Txn<ByteBuffer> txn) {
    try {
      return env.openDbi(txn, OWN.getBytes(ISO_8859_1), null, false);
    } catch (Dbi.KeyNotFoundException e) {
      throw new StorageException(
          file, -1, "expected a backend of ours, found LMDB data of something else", e);
    }
  }

  private void checkFormat(Txn<ByteBuffer> txn) {
    ByteBuffer value = own.get(txn, direct(FORMAT));
    byte[] found = value == null ? new byte[0] : copy(value);
    if (!Arrays.equals(found, VERSION)) {
      String text = new String(found, ISO_8859_1);
      throw new StorageException(file, -1, "expected format 1, found '" + text + "'", null);
    }
  }

  /// Changes a row of our own.
  void touch(Txn<ByteBuffer> txn) {
    set(txn, TOUCHED);
  }

  private void set(Txn<ByteBuffer> txn, byte[] key) {
    own.put(txn, direct(key), direct(VERSION), new PutFlags[0]);
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /// Room for any key, to be passed to LMDB.
  static ByteBuffer keyRoom() {
    return ByteBuffer.allocateDirect(Unit.MAX_KEY_BYTES);
  }

  /// Makes `room` hold `key`.
  static void fill(ByteBuffer room, byte[] key) {
    room.clear().put(key).flip();
  }

  /// Copies what LMDB handed out; it is gone with the next call on the same transaction or cursor.
  static byte[] copy(ByteBuffer lent) {
    byte[] bytes = new byte[lent.remaining()];
    lent.get(0, bytes);
    return bytes;
  }

  Path file() {
    return file;
  }

  Env<ByteBuffer> env() {
    return env;
  }

  @SuppressWarnings("NullAway") // the constructor puts every bucket in
  Dbi<ByteBuffer> dbi(Bucket bucket) {
    return dbis.get(bucket);
  }

  int pageBytes() {
    return pageBytes;
  }

  long mapBytes() {
    return mapBytes;
  }

  /// Pages up to the last that was ever written.
  long pagesEverUsed() {
    return env.info().lastPageNumber + 1;
  }

  /// Pages that hold something in the state `txn` sees: both meta pages and all trees. The tree of
  /// free pages, which the library does not show, is counted as free: one page for each 500 or so
  /// free ones.
  long pagesUsed(Txn<ByteBuffer> txn) {
    long pages = 2 + pages(main.stat(txn)) + pages(own.stat(txn));
    for (Dbi<ByteBuffer> dbi : dbis.values()) {
      pages += pages(dbi.stat(txn));
    }
    return pages;
  }

  private static long pages(Stat tree) {
    return tree.branchPages + tree.leafPages + tree.overflowPages;
  }

  /// Copies the newest state to the new file `target`, without free pages.
  void copyTo(Path target) {
    env.copy(target.toFile(), CopyFlags.MDB_CP_COMPACT);
  }

  StorageException failure(String what, RuntimeException cause) {
    return failure(file, what, cause);
  }

  private static StorageException failure(Path file, String what, RuntimeException cause) {
    return new StorageException(file, -1, what + ": " + cause.getMessage(), cause);
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
    close(env, owner);
  }

  private static void close(@Nullable Env<ByteBuffer> env, FileChannel owner) {
    if (env != null) {
      env.close();
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
