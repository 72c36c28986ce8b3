package dev.etcdj.server.durable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Layout of a data directory (wire reference: data directory):
///
/// ```
/// <root>/member/wal/<seq>-<index>.wal   the log
/// <root>/member/snap/db                 the store
/// <root>/member/snap/<index>.snap.db    a leader's snapshot that is to replace the store
/// <root>/member/snap/tmp*               leftovers, deleted at start
/// ```
public record DataDir(Path root) {
  /// Folder of the log.
  public Path wal() {
    return root.resolve("member").resolve("wal");
  }

  /// Folder of the store and of snapshots.
  public Path snap() {
    return root.resolve("member").resolve("snap");
  }

  /// The store.
  public Path db() {
    return snap().resolve("db");
  }

  /// @throws StartException when something else than a folder lies there
  public void requireFolder() throws StartException {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new StartException(
          "cannot access data directory \"%s\": not a directory".formatted(root));
    }
  }

  /// Makes what is missing, removes leftovers, and finds out whether it can be written.
  ///
  /// @throws StartException when it cannot
  public void prepare() throws StartException {
    try {
      createPrivate(root);
      createPrivate(snap());
      Path probe = Files.createTempFile(snap(), "tmp", "");
      Files.delete(probe);
      removeLeftovers();
    } catch (FileSystemException e) {
      throw new StartException(
          "cannot access data directory \"%s\": %s: %s".formatted(root, e.getFile(), reason(e)), e);
    } catch (IOException e) {
      throw new StartException(
          "cannot access data directory \"%s\": %s".formatted(root, e.getMessage()), e);
    }
  }

  private static String reason(FileSystemException e) {
    if (e.getReason() != null) {
      return e.getReason();
    }
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "not a directory";
      default -> e.getClass().getSimpleName();
    };
  }

  private void removeLeftovers() throws IOException {
    try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(snap(), "{tmp*,db.tmp*}")) {
      for (Path leftover : leftovers) {
        Files.deleteIfExists(leftover);
      }
    }
  }

  private static void createPrivate(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }
}
