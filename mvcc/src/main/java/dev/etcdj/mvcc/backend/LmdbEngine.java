package dev.etcdj.mvcc.backend;

import static dev.etcdj.mvcc.backend.lmdb.Lmdb.SUCCESS;

import dev.etcdj.mvcc.StorageException;
import dev.etcdj.mvcc.backend.lmdb.Lmdb;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// LMDB below the batches. Commits on the backend's thread, reads on any.
final class LmdbEngine implements Engine {
  /// What a commit may need beyond what it writes: copied branch pages, the free list.
  private static final long COMMIT_SLACK_BYTES = 1 << 20;

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
    int result = writer.commit(batch);
    if (result == Lmdb.MAP_FULL || result == Lmdb.ENOSPC || result == Lmdb.EDQUOT) {
      return new NoRoom(Lmdb.message(result));
    }
    check("cannot commit", result);
    extent = measure();
    readers.idleBelow(extent.id());
    return new Committed(extent);
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
      long pages = 2;
      for (int dbi = 0; dbi <= lmdb.lastDbi(); dbi++) {
        pages += reader.pages(dbi);
      }
      int pageBytes = lmdb.pageBytes();
      return new Extent(reader.id(), lmdb.pagesEverUsed() * pageBytes, pages * pageBytes);
    } finally {
      reader.idle();
      readers.give(reader);
    }
  }

  /// A reader from the pool, on its snapshot if that is not below `lowestId`, else on the newest.
  private LmdbReader reader(long lowestId) {
    LmdbReader reader = readers.take();
    if (reader == null) {
      return new LmdbReader(this, lmdb.env());
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
      writer.close();
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

  int dbi(Bucket bucket) {
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
    try (Arena arena = Arena.ofConfined()) {
      long path = arena.allocateFrom(target.toString()).address();
      int result = Lmdb.envCopy(lmdb.env(), path, Lmdb.CP_COMPACT);
      if (result != SUCCESS) {
        throw new StorageException(target, -1, "cannot copy to it: " + Lmdb.message(result), null);
      }
      LmdbFile.sync(target);
    } finally {
      unpin();
    }
  }

  void check(String what, int result) {
    if (result != SUCCESS) {
      throw failure(what, result);
    }
  }

  StorageException failure(String what, int result) {
    return lmdb.failure(what, result);
  }

  @Override
  public void close() {
    unpin();
  }
}
