package dev.etcdj.wal.segment;

import dev.etcdj.wal.io.FileStore;
import dev.etcdj.wal.io.StoredFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Keeps the next segment ready, preallocated and locked, under the name `0.tmp` or `1.tmp`, so
/// that a cut costs the writer a rename and not an allocation.
///
/// An agent: [#doWork] belongs to a thread of its own, [#take] to the log's. Without anybody
/// calling `doWork` the log works as well; a cut then makes the file itself. Thread-safe; `take`
/// waits for a preparation that is under way.
public final class SegmentPreparer {

  /// A file that is allocated, empty, locked and not yet part of the log.
  public record Prepared(Path path, StoredFile file) {}

  private final FileStore files;
  private final Path directory;
  private final long segmentBytes;

  private Runnable onTaken = () -> {};
  private @Nullable Prepared ready;
  private int made;

  /// Set by a failed preparation: the next attempt is the log's own, where the failure counts.
  private boolean resting;

  private boolean closed;

  public SegmentPreparer(FileStore files, Path directory, long segmentBytes) {
    this.files = files;
    this.directory = directory;
    this.segmentBytes = segmentBytes;
  }

  /// Has `wake` called whenever there is work for [#doWork] again.
  public synchronized void wakeWith(Runnable wake) {
    onTaken = wake;
  }

  /// Prepares a file unless one is ready.
  ///
  /// @return whether it did
  public synchronized boolean doWork() {
    if (closed || resting || ready != null) {
      return false;
    }
    try {
      ready = prepare();
      return true;
    } catch (IOException full) {
      resting = true;
      return false;
    }
  }

  /// The file that is ready, else one made now.
  public synchronized Prepared take() throws IOException {
    Prepared taken = ready != null ? ready : prepare();
    ready = null;
    resting = false;
    onTaken.run();
    return taken;
  }

  /// Lets go of a file that was not taken.
  public synchronized void close() throws IOException {
    closed = true;
    if (ready != null) {
      ready.file().close();
      files.delete(ready.path());
      ready = null;
    }
  }

  private Prepared prepare() throws IOException {
    Path path = directory.resolve(made % 2 + ".tmp");
    files.delete(path);
    StoredFile file = files.open(path, FileStore.Access.CREATE);
    try {
      if (!file.tryLock()) {
        throw new IOException("locked by someone else: " + path);
      }
      file.preallocate(segmentBytes);
      file.sync();
    } catch (IOException failure) {
      file.close();
      files.delete(path);
      throw failure;
    }
    made++;
    return new Prepared(path, file);
  }
}
