package dev.etcdj.wal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullUnmarked;

/// A disk in memory that can lose everything a real one may lose: file contents that were not
/// synced, whole or by sectors, and names whose directory was not synced. It also fails and stalls
/// on request. Thread-safe.
@NullUnmarked
public final class MemoryFileStore implements FileStore {
  static final int SECTOR_BYTES = 512;

  /// What of the unsynced survives a crash.
  public sealed interface Survival {
    /// Nothing.
    record Nothing() implements Survival {}

    /// Everything, as after a kill of the process.
    record Everything() implements Survival {}

    /// Of each file any set of sectors, of each directory any prefix of its changes.
    record Sectors(RandomGenerator random) implements Survival {}

    /// Of each file the first bytes that were written, counted over all its writes; all names.
    record FirstBytes(long bytes) implements Survival {}
  }

  private final Directory root = new Directory();
  private long freeBytes = Long.MAX_VALUE;
  private int syncs;
  private int writes;
  private int syncsUntilFailure = -1;
  private long bytesUntilWriteFailure = -1;
  private int epoch;
  private Consumer<Path> beforeSync = path -> {};

  // ---- what tests steer and see

  /// Loses what `survival` does not keep; open files and locks are gone.
  public synchronized void crash(Survival survival) {
    epoch++;
    root.crash(survival);
    syncsUntilFailure = -1;
    bytesUntilWriteFailure = -1;
    beforeSync = path -> {};
  }

  /// Another disk, with what this one would hold if nothing unsynced survived a crash now.
  public synchronized MemoryFileStore durableCopy() {
    MemoryFileStore copy = new MemoryFileStore();
    root.durableInto(copy.root);
    return copy;
  }

  /// The `n`-th sync of file contents from now on fails (0: the next), and what it should have made
  /// durable will not become so, even if a later one succeeds.
  public synchronized void failSync(int n) {
    syncsUntilFailure = n;
  }

  /// The write that passes `bytes` more bytes stops there and fails.
  public synchronized void failWriteAfter(long bytes) {
    bytesUntilWriteFailure = bytes;
  }

  /// No more than `bytes` further bytes can be allocated.
  public synchronized void leaveFree(long bytes) {
    freeBytes = bytes;
  }

  /// Runs before every sync of a file or directory, outside any lock, so that it may stall.
  public synchronized void beforeSync(Consumer<Path> hook) {
    beforeSync = hook;
  }

  /// How many syncs of file contents were asked for.
  public synchronized int syncs() {
    return syncs;
  }

  /// How many writes were asked for.
  public synchronized int writes() {
    return writes;
  }

  /// Contents as a reader sees them.
  public synchronized byte[] contents(Path path) throws IOException {
    return file(path).live.contents();
  }

  /// Replaces contents, durably: damage.
  public synchronized void damage(Path path, byte[] contents) throws IOException {
    FileNode node = file(path);
    node.change(new Change(0, null));
    node.change(new Change(0, contents.clone()));
    node.settle();
  }

  // ---- FileStore

  @Override
  public synchronized boolean exists(Path path) {
    Path above = path.getParent();
    Directory parent = above == null ? null : directoryOrNull(above);
    return above == null || (parent != null && parent.names.containsKey(name(path)));
  }

  @Override
  public synchronized List<String> list(Path directory) {
    Directory node = directoryOrNull(directory);
    return node == null ? List.of() : List.copyOf(node.names.keySet());
  }

  @Override
  public synchronized void createDirectories(Path directory) {
    Directory at = root;
    for (Path step : directory) {
      Node next = at.names.get(step.toString());
      if (next == null) {
        next = new Directory();
        at.put(step.toString(), next);
      }
      at = (Directory) next;
    }
  }

  @Override
  public synchronized StoredFile open(Path path, Access access) throws IOException {
    Directory parent = directory(path.getParent());
    boolean present = parent.names.containsKey(name(path));
    if (access == Access.CREATE) {
      if (present) {
        throw new FileAlreadyExistsException(path.toString());
      }
      parent.put(name(path), new FileNode());
    }
    return new Handle(path, file(path), access != Access.READ);
  }

  @Override
  public synchronized void rename(Path from, Path to) throws IOException {
    Directory parent = directory(from.getParent());
    if (parent != directory(to.getParent())) {
      throw new IOException("only within one directory: " + from + " to " + to);
    }
    Node node = parent.names.get(name(from));
    if (node == null) {
      throw new NoSuchFileException(from.toString());
    }
    parent.move(name(from), name(to));
  }

  @Override
  public synchronized void delete(Path path) throws IOException {
    Directory parent = directoryOrNull(path.getParent());
    Node node = parent == null ? null : parent.names.get(name(path));
    if (node == null) {
      return;
    }
    if (node instanceof Directory directory && !directory.names.isEmpty()) {
      throw new IOException("not empty: " + path);
    }
    if (node instanceof FileNode file) {
      freeBytes += freeBytes == Long.MAX_VALUE ? 0 : file.live.size;
    }
    parent.remove(name(path));
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    hook().accept(directory);
    synchronized (this) {
      directory(directory).settle();
    }
  }

  private synchronized Consumer<Path> hook() {
    return beforeSync;
  }

  private Directory directoryOrNull(Path path) {
    Node at = root;
    for (Path step : path) {
      at = at instanceof Directory directory ? directory.names.get(step.toString()) : null;
    }
    return at instanceof Directory directory ? directory : null;
  }

  private Directory directory(Path path) throws IOException {
    Directory found = directoryOrNull(path);
    if (found == null) {
      throw new NoSuchFileException(path.toString());
    }
    return found;
  }

  private FileNode file(Path path) throws IOException {
    if (directory(path.getParent()).names.get(name(path)) instanceof FileNode file) {
      return file;
    }
    throw new NoSuchFileException(path.toString());
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  // ---- nodes: what is seen now, and what a crash leaves

  private sealed interface Node {
    void crash(Survival survival);
  }

  private static final class Directory implements Node {
    TreeMap<String, Node> names = new TreeMap<>();
    private TreeMap<String, Node> durable = new TreeMap<>();
    private final List<Consumer<Map<String, Node>>> unsynced = new ArrayList<>();

    void put(String name, Node node) {
      change(map -> map.put(name, node));
    }

    void durableInto(Directory copy) {
      durable.forEach(
          (name, node) -> {
            switch (node) {
              case Directory below -> {
                Directory to = new Directory();
                below.durableInto(to);
                copy.put(name, to);
              }
              case FileNode file -> copy.put(name, file.durableCopy());
            }
          });
      copy.settle();
    }

    void remove(String name) {
      change(map -> map.remove(name));
    }

    void move(String from, String to) {
      change(
          map -> {
            Node node = map.remove(from);
            if (node != null) {
              map.put(to, node);
            }
          });
    }

    private void change(Consumer<Map<String, Node>> change) {
      change.accept(names);
      unsynced.add(change);
    }

    void settle() {
      durable = new TreeMap<>(names);
      unsynced.clear();
    }

    @Override
    public void crash(Survival survival) {
      int kept =
          switch (survival) {
            case Survival.Nothing() -> 0;
            case Survival.Everything() -> unsynced.size();
            case Survival.FirstBytes(long bytes) -> unsynced.size();
            case Survival.Sectors(RandomGenerator random) -> random.nextInt(unsynced.size() + 1);
          };
      unsynced.subList(0, kept).forEach(change -> change.accept(durable));
      unsynced.clear();
      names = new TreeMap<>(durable);
      names.values().forEach(node -> node.crash(survival));
    }
  }

  /// One change of a file's contents; `bytes` null stands for a new size.
  private record Change(long position, byte[] bytes) {}

  /// Bytes that read as zeros until they are written.
  private static final class Image {
    private byte[] bytes = new byte[0];
    int size;

    void apply(Change change) {
      int position = (int) change.position();
      if (change.bytes() == null) {
        resize(position);
      } else {
        resize(Math.max(size, position + change.bytes().length));
        System.arraycopy(change.bytes(), 0, bytes, position, change.bytes().length);
      }
    }

    private void resize(int newSize) {
      if (newSize > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(newSize, 2 * bytes.length));
      }
      if (newSize < size) {
        Arrays.fill(bytes, newSize, size, (byte) 0);
      }
      size = newSize;
    }

    byte[] contents() {
      return Arrays.copyOf(bytes, size);
    }
  }

  private static final class FileNode implements Node {
    Image live = new Image();
    private final Image durable = new Image();
    private final List<Change> unsynced = new ArrayList<>();
    Object lockHolder;

    FileNode durableCopy() {
      FileNode copy = new FileNode();
      copy.change(new Change(0, durable.contents()));
      copy.settle();
      return copy;
    }

    void change(Change change) {
      live.apply(change);
      unsynced.add(change);
    }

    void settle() {
      unsynced.forEach(durable::apply);
      unsynced.clear();
    }

    /// What a failed sync leaves: readers still see it, no later sync will write it.
    void forgetUnsynced() {
      unsynced.clear();
    }

    @Override
    public void crash(Survival survival) {
      switch (survival) {
        case Survival.Nothing() -> unsynced.clear();
        case Survival.Everything() -> settle();
        case Survival.FirstBytes(long bytes) -> keepFirst(bytes);
        case Survival.Sectors(RandomGenerator random) ->
            unsynced.forEach(change -> keepSectors(change, random));
      }
      unsynced.clear();
      live = new Image();
      live.apply(new Change(0, durable.contents()));
      lockHolder = null;
    }

    private void keepFirst(long bytes) {
      long left = bytes;
      for (Change change : unsynced) {
        if (change.bytes() == null) {
          durable.apply(change);
        } else if (left > 0) {
          int kept = (int) Math.min(left, change.bytes().length);
          durable.apply(new Change(change.position(), Arrays.copyOf(change.bytes(), kept)));
          left -= kept;
        }
      }
    }

    private void keepSectors(Change change, RandomGenerator random) {
      if (change.bytes() == null) {
        durable.apply(change);
        return;
      }
      int start = (int) change.position();
      int end = start + change.bytes().length;
      for (int from = start; from < end; ) {
        int to = Math.min(end, (from / SECTOR_BYTES + 1) * SECTOR_BYTES);
        if (random.nextBoolean()) {
          byte[] piece = Arrays.copyOfRange(change.bytes(), from - start, to - start);
          durable.apply(new Change(from, piece));
        }
        from = to;
      }
    }
  }

  private final class Handle implements StoredFile {
    private final Path path;
    private final FileNode node;
    private final boolean writable;
    private final int openedIn = epoch;
    private boolean open = true;

    Handle(Path path, FileNode node, boolean writable) {
      this.path = path;
      this.node = node;
      this.writable = writable;
    }

    @Override
    public long size() throws IOException {
      synchronized (MemoryFileStore.this) {
        check(false);
        return node.live.size;
      }
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      synchronized (MemoryFileStore.this) {
        check(false);
        int bytes = (int) Math.min(into.remaining(), node.live.size - position);
        if (bytes <= 0) {
          return into.hasRemaining() ? -1 : 0;
        }
        into.put(node.live.bytes, (int) position, bytes);
        return bytes;
      }
    }

    @Override
    public void write(ByteBuffer from, long position) throws IOException {
      synchronized (MemoryFileStore.this) {
        check(true);
        writes++;
        long room = Long.MAX_VALUE;
        if (bytesUntilWriteFailure >= 0) {
          room = bytesUntilWriteFailure;
          bytesUntilWriteFailure -= Math.min(bytesUntilWriteFailure, from.remaining());
        }
        if (freeBytes < Long.MAX_VALUE) {
          room = Math.min(room, freeBytes + Math.max(0, node.live.size - position));
        }
        byte[] bytes = new byte[(int) Math.min(room, from.remaining())];
        from.get(bytes);
        allocate(position + bytes.length);
        node.change(new Change(position, bytes));
        if (from.hasRemaining()) {
          throw new IOException("No space left on device");
        }
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (MemoryFileStore.this) {
        check(true);
        if (size < node.live.size) {
          freeBytes += freeBytes == Long.MAX_VALUE ? 0 : node.live.size - size;
          node.change(new Change(size, null));
        }
      }
    }

    @Override
    public void preallocate(long size) throws IOException {
      synchronized (MemoryFileStore.this) {
        check(true);
        if (size > node.live.size) {
          if (size - node.live.size > freeBytes) {
            throw new IOException("No space left on device");
          }
          allocate(size);
          node.change(new Change(size, null));
        }
      }
    }

    private void allocate(long size) {
      if (freeBytes < Long.MAX_VALUE && size > node.live.size) {
        freeBytes -= size - node.live.size;
      }
    }

    @Override
    public long sync() throws IOException {
      hook().accept(path);
      synchronized (MemoryFileStore.this) {
        check(true);
        syncs++;
        if (syncsUntilFailure == 0) {
          syncsUntilFailure = -1;
          node.forgetUnsynced();
          throw new IOException("Input/output error");
        }
        syncsUntilFailure -= syncsUntilFailure > 0 ? 1 : 0;
        node.settle();
        return 0;
      }
    }

    @Override
    public boolean tryLock() throws IOException {
      synchronized (MemoryFileStore.this) {
        check(true);
        if (node.lockHolder != null && node.lockHolder != this) {
          return false;
        }
        node.lockHolder = this;
        return true;
      }
    }

    @Override
    public void close() {
      synchronized (MemoryFileStore.this) {
        open = false;
        if (node.lockHolder == this) {
          node.lockHolder = null;
        }
      }
    }

    private void check(boolean forWriting) throws IOException {
      if (!open || openedIn != epoch || (forWriting && !writable)) {
        throw new IOException("not open" + (forWriting ? " for writing: " : ": ") + path);
      }
    }
  }
}
