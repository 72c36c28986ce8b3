package dev.etcdj.mvcc;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The disk failed, or what lies on it is not what was written. Names the file and, where there
/// is one, the offset in bytes (-1: none).
public final class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final long offset;

  public StorageException(Path file, long offset, String what, @Nullable Throwable cause) {
    super(file + (offset < 0 ? "" : " at byte " + offset) + ": " + what, cause);
    this.file = file;
    this.offset = offset;
  }

  /// The file concerned.
  public Path file() {
    return file;
  }

  /// Offset in bytes, or -1.
  public long offset() {
    return offset;
  }
}
