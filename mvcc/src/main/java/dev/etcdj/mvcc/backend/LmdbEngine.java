package dev.etcdj.mvcc.backend;

import dev.etcdj.mvcc.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.lmdbjava.LmdbNativeException;

/// LMDB below the batches. Commits on the backend's thread, reads on any.
final class LmdbEngine implements Engine {
  /// What a commit may need beyond what it writes: copied branch pages, the free list.
  private static final long COMMIT_SLACK_BYTES = 1 << 20;

  /// The system's words for a full disk, and for a user's full share of it.
  private static final int ENOSPC = 28;

  private static final int EDQUOT = 122;

  private final Path file;
  private final LmdbFile lmdb;
  private final ReaderPool readers;
  private final LmdbWriter writer;
  private final FileStore disk;

  /// One for the engine, one for each view that is open; the environment goes with the last.
  private final AtomicInteger pins = new AtomicInteger(1);

  /// Written by the committer; read by readers that are given back, to tell old from new.
  private volatile Extent extent;

  private LmdbEngine(LmdbFile lmdb) throws IOException {
    this.file = lmdb.file();
    this.lmdb = lmdb;
    this.disk = Files.getFileStore(file);
    this.readers = new ReaderPool();
    this.writer = new LmdbWriter(lmdb);
    this.extent = measure();
  }

  static LmdbEngine open(Path directory, LmdbOptions options) {
    LmdbFile lmdb = LmdbFile.open(directory, options);
    try {
      return new LmdbEngine(lmdb);
    } catch (IOException e) {
      lmdb.close();
      throw new StorageException(lmdb.file(), -1, "cannot be measured", e);
    }
  }

  @Override
  public Outcome commit(Overlay batch) {
    long needed = batch.bytes + (long) batch.editCount * lmdb.pageBytes() + COMMIT_SLACK_BYTES;
    long usable = usableBytes();
    if (usable < needed) {
      // LMDB reports a short write as EIO, which cannot be told from a broken disk: do not try.
      return new NoRoom("disk has " + usable + " bytes left of " + needed);
    }
    try {
      writer.commit(batch);
    } catch (LmdbException | IllegalArgumentException e) { // the latter: a code it has no name for
      if (isNoRoom(e)) {
        return new NoRoom(e.toString());
      }
      throw failure("cannot commit", e);
    }
    extent = measure();
    readers.idleBelow(extent.id());
    return new Committed(extent);
  }

  private static boolean isNoRoom(RuntimeException e) {
    return e instanceof Env.MapFullException
        || e instanceof LmdbNativeException known
            && (known.getResultCode() == ENOSPC || known.getResultCode() == EDQUOT);
  }

  private long usableBytes() {
    try {
      return disk.getUsableSpace();
    } catch (IOException e) {
      throw new StorageException(file, -1, "cannot ask the disk for its room", e);
    }
  }

  /// Reads the newest state and what it takes: all pages but the free ones.
  private Extent measure() {
    LmdbReader reader = reader(Long.MAX_VALUE);
    try {
      long pageBytes = lmdb.pageBytes();
      long used = lmdb.pagesUsed(reader.txn());
      return new Extent(reader.id(), lmdb.pagesEverUsed() * pageBytes, used * pageBytes);
    } catch (LmdbException e) {
      throw failure("cannot be measured", e);
    } finally {
      reader.idle();
      readers.give(reader);
    }
  }

  /// A reader from the pool, on its snapshot if that is not below `lowestId`, else on the newest.
  private LmdbReader reader(long lowestId) {
    LmdbReader reader = readers.take();
    if (reader == null) {
      return new LmdbReader(this, lmdb);
    }
    if (reader.id() < lowestId) {
      try {
        reader.renew();
      } catch (StorageException e) {
        reader.end();
        throw e;
      }
    }
    return reader;
  }

  @Override
  public @Nullable Disk read(long lowestId, long highestId) {
    pin();
    LmdbReader reader;
    try {
      reader = reader(lowestId);
    } catch (StorageException e) {
      unpin();
      throw e;
    }
    if (reader.id() >= lowestId && reader.id() <= highestId) {
      return reader;
    }
    release(reader);
    return null;
  }

  private void pin() {
    int held;
    do {
      held = pins.get();
      if (held == 0) {
        throw new StorageException(file, -1, "backend is closed", null);
      }
    } while (!pins.compareAndSet(held, held + 1));
  }

  private void unpin() {
    if (pins.decrementAndGet() == 0) {
      readers.end();
      lmdb.close();
    }
  }

  /// Takes a reader back. It keeps its snapshot while that is the newest, so that the next reader
  /// has nothing to open.
  void release(LmdbReader reader) {
    if (reader.id() < extent.id()) {
      reader.idle();
    }
    readers.give(reader);
    unpin();
  }

  Dbi<ByteBuffer> dbi(Bucket bucket) {
    return lmdb.dbi(bucket);
  }

  @Override
  public Extent extent() {
    return extent;
  }

  @Override
  public long comfortableBytes() {
    return lmdb.mapBytes() - lmdb.mapBytes() / 8;
  }

  @Override
  public Path file() {
    return file;
  }

  void compactTo(Path target) {
    if (Files.exists(target)) {
      throw new StorageException(target, -1, "exists already", null);
    }
    pin();
    try {
      lmdb.copyTo(target);
      LmdbFile.sync(target);
    } catch (LmdbException e) {
      throw new StorageException(target, -1, "cannot copy to it: " + e.getMessage(), e);
    } finally {
      unpin();
    }
  }

  StorageException failure(String what, RuntimeException cause) {
    return lmdb.failure(what, cause);
  }

  @Override
  public void close() {
    unpin();
  }
}
