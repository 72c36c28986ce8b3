package dev.etcdj.wal.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/// One open file. Positions are bytes from its start. One thread at a time.
public interface StoredFile extends AutoCloseable {

  /// Length in bytes.
  long size() throws IOException;

  /// Reads up to `into.remaining()` bytes.
  ///
  /// @return how many were read, -1 at or behind the end
  int read(ByteBuffer into, long position) throws IOException;

  /// Writes all of `from`, growing the file where needed. A short write is an exception.
  void write(ByteBuffer from, long position) throws IOException;

  /// Cuts the file to `size`; nothing happens when it is shorter.
  void truncate(long size) throws IOException;

  /// Reserves space so that the file is at least `size` long; what is new reads as zeros.
  void preallocate(long size) throws IOException;

  /// Makes contents and length durable (fdatasync).
  ///
  /// @return how long the device took, in nanoseconds
  /// @throws IOException and then nothing is known about what is durable: it must not be retried
  long sync() throws IOException;

  /// Takes the exclusive lock, which ends with [#close].
  ///
  /// @return false when another holder, of this or another process, has it
  boolean tryLock() throws IOException;

  @Override
  void close() throws IOException;
}
