package dev.etcdj.wal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A file of this machine behind a `FileChannel`, with a second, native descriptor where the
/// channel lacks the call: the lock that etcd takes, and posix_fallocate(3).
final class RealFile implements StoredFile {
  private static final int ZEROS_BYTES = 1 << 20;

  private final Path path;
  private final FileChannel channel;
  private @Nullable NativeFile lock;

  RealFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    return channel.read(into, position);
  }

  @Override
  public void write(ByteBuffer from, long position) throws IOException {
    long at = position;
    while (from.hasRemaining()) {
      int written = channel.write(from, at);
      if (written <= 0) {
        throw new IOException(
            "short write at byte " + at + ": " + from.remaining() + " bytes were not taken");
      }
      at += written;
    }
  }

  @Override
  public void truncate(long size) throws IOException {
    channel.truncate(size);
  }

  @Override
  public void preallocate(long size) throws IOException {
    long present = channel.size();
    if (present >= size) {
      return;
    }
    try (NativeFile file = NativeFile.open(path)) {
      if (file != null && file.allocate(present, size - present)) {
        return;
      }
    }
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS_BYTES, size - present));
    for (long at = present; at < size; at += zeros.limit()) {
      write(zeros.clear().limit((int) Math.min(zeros.capacity(), size - at)), at);
    }
  }

  @Override
  public long sync() throws IOException {
    long start = System.nanoTime();
    channel.force(false);
    return System.nanoTime() - start;
  }

  @Override
  public boolean tryLock() throws IOException {
    if (lock != null) {
      return true;
    }
    NativeFile file = NativeFile.open(path);
    if (file == null) {
      try {
        return channel.tryLock() != null;
      } catch (OverlappingFileLockException heldByThisProcess) {
        return false;
      }
    }
    if (!file.tryLock()) {
      file.close();
      return false;
    }
    lock = file;
    return true;
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      if (lock != null) {
        lock.close();
      }
    }
  }
}
