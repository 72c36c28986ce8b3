package dev.etcdj.wal.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The files of this machine. Files are made with mode 0600, directories with 0700.
public final class RealFileStore implements FileStore {
  private static final FileAttribute<?> OWNER_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> OWNER_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    try (Stream<Path> paths = Files.list(directory)) {
      return paths.map(path -> path.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException absent) {
      return List.of();
    }
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, OWNER_DIRECTORY);
  }

  @Override
  public StoredFile open(Path file, Access access) throws IOException {
    FileChannel channel =
        switch (access) {
          case READ -> FileChannel.open(file, StandardOpenOption.READ);
          case WRITE -> FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
          case CREATE ->
              FileChannel.open(
                  file,
                  Set.of(
                      StandardOpenOption.READ,
                      StandardOpenOption.WRITE,
                      StandardOpenOption.CREATE_NEW),
                  OWNER_FILE);
        };
    return new RealFile(file, channel);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
