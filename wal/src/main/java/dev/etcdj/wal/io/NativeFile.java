package dev.etcdj.wal.io;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A file descriptor of the C library, Linux only: elsewhere [#open] gives null and callers do
/// without. Its lock is an open file description lock (fcntl F_OFD_SETLK), which is what etcd takes
/// too; unlike the lock of a `FileChannel` it excludes a second opener in the same process, and
/// closing another descriptor of the file does not drop it.
final class NativeFile implements AutoCloseable {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int F_OFD_SETLK = 37;
  private static final short F_WRLCK = 1;
  private static final int EAGAIN = 11;
  private static final int EACCES = 13;
  private static final int EINVAL = 22;
  private static final int EOPNOTSUPP = 95;

  private static final @Nullable CLibrary C = CLibrary.load();

  private final CLibrary c;
  private final Path path;
  private final int descriptor;

  private NativeFile(CLibrary c, Path path, int descriptor) {
    this.c = c;
    this.path = path;
    this.descriptor = descriptor;
  }

  static @Nullable NativeFile open(Path path) throws IOException {
    if (C == null) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CLibrary.STATE);
      int descriptor =
          (int) C.open.invokeExact(state, arena.allocateFrom(path.toString()), O_RDWR | O_CLOEXEC);
      if (descriptor < 0) {
        throw new IOException("open " + path + ": errno " + CLibrary.errno(state));
      }
      return new NativeFile(C, path, descriptor);
    } catch (Throwable failure) {
      throw rethrow(failure);
    }
  }

  /// @return false when someone else holds the lock
  boolean tryLock() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CLibrary.STATE);
      MemorySegment wholeFile = arena.allocate(CLibrary.FLOCK);
      wholeFile.set(ValueLayout.JAVA_SHORT, 0, F_WRLCK);
      int result = (int) c.fcntl.invokeExact(state, descriptor, F_OFD_SETLK, wholeFile);
      if (result == 0) {
        return true;
      }
      int errno = CLibrary.errno(state);
      if (errno == EAGAIN || errno == EACCES) {
        return false;
      }
      throw new IOException("fcntl F_OFD_SETLK " + path + ": errno " + errno);
    } catch (Throwable failure) {
      throw rethrow(failure);
    }
  }

  /// @return false when the file system cannot allocate without writing
  boolean allocate(long offset, long bytes) throws IOException {
    try {
      int errno = (int) c.allocate.invokeExact(descriptor, offset, bytes);
      if (errno == 0) {
        return true;
      }
      if (errno == EOPNOTSUPP || errno == EINVAL) {
        return false;
      }
      throw new IOException(
          "posix_fallocate " + path + " to " + (offset + bytes) + " bytes: errno " + errno);
    } catch (Throwable failure) {
      throw rethrow(failure);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      int ignored = (int) c.close.invokeExact(descriptor);
    } catch (Throwable failure) {
      throw rethrow(failure);
    }
  }

  private static IOException rethrow(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return failure instanceof IOException io ? io : new IOException(failure);
  }

  private record CLibrary(
      MethodHandle open, MethodHandle fcntl, MethodHandle allocate, MethodHandle close) {
    static final MemoryLayout STATE = Linker.Option.captureStateLayout();

    /// struct flock of 64-bit Linux: type, whence, start, length, process; zeros mean all of it.
    static final MemoryLayout FLOCK =
        MemoryLayout.structLayout(
            ValueLayout.JAVA_SHORT,
            ValueLayout.JAVA_SHORT,
            MemoryLayout.paddingLayout(4),
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            MemoryLayout.paddingLayout(4));

    private static final VarHandle ERRNO =
        STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    static int errno(MemorySegment state) {
      return (int) ERRNO.get(state, 0L);
    }

    static @Nullable CLibrary load() {
      if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")) {
        return null;
      }
      Linker linker = Linker.nativeLinker();
      SymbolLookup symbols = linker.defaultLookup();
      Linker.Option captureErrno = Linker.Option.captureCallState("errno");
      var number = ValueLayout.JAVA_INT;
      return new CLibrary(
          linker.downcallHandle(
              symbols.findOrThrow("open"),
              FunctionDescriptor.of(number, ValueLayout.ADDRESS, number),
              captureErrno,
              Linker.Option.firstVariadicArg(2)),
          linker.downcallHandle(
              symbols.findOrThrow("fcntl"),
              FunctionDescriptor.of(number, number, number, ValueLayout.ADDRESS),
              captureErrno,
              Linker.Option.firstVariadicArg(2)),
          linker.downcallHandle(
              symbols.findOrThrow("posix_fallocate"),
              FunctionDescriptor.of(number, number, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG)),
          linker.downcallHandle(
              symbols.findOrThrow("close"), FunctionDescriptor.of(number, number)));
    }
  }
}
