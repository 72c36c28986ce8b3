package dev.etcdj.wal.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The files of a member as the log sees them: the seam where a test loses, tears, stalls or
/// fails writes. What a directory holds (a creation, a rename, a deletion) survives a crash only
/// once [#syncDirectory] has returned, what a file holds only once [StoredFile#sync] has.
///
/// Every method throws `IOException` when the disk refuses. Thread-safe.
public interface FileStore {

  /// What [#open] expects of the file and allows on it.
  enum Access {
    /// The file exists and is only read.
    READ,
    /// The file exists and may be changed.
    WRITE,
    /// The file is made, and must not exist yet.
    CREATE
  }

  boolean exists(Path path);

  /// Names in `directory`, ascending; empty when there is no such directory.
  List<String> list(Path directory) throws IOException;

  /// Makes `directory` and what is missing above it, readable by the owner alone.
  void createDirectories(Path directory) throws IOException;

  /// @throws java.nio.file.NoSuchFileException with `READ` and `WRITE`, when there is none
  /// @throws java.nio.file.FileAlreadyExistsException with `CREATE`, when there is one
  StoredFile open(Path file, Access access) throws IOException;

  /// Atomically puts `from` in the place of `to`, which is replaced when it is a file. Open
  /// handles stay valid and keep their locks.
  void rename(Path from, Path to) throws IOException;

  /// Deletes a file or an empty directory; nothing happens when there is none.
  void delete(Path path) throws IOException;

  /// Makes the names in `directory` durable.
  void syncDirectory(Path directory) throws IOException;
}
