package dev.etcdj.mvcc.bbolt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.etcdj.mvcc.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// Reads a bbolt file that nobody writes to: the state of its newest valid meta page. Refuses what
/// is foreign, truncated or inconsistent with file, offset, expected and found. Holds one page per
/// level of a tree in memory. Buckets within buckets, which etcd never makes, are refused too.
public final class BboltReader implements AutoCloseable {
  private static final int MOST_LEVELS = 64;

  /// A valid meta page.
  private record Meta(int pageBytes, long root, long pages, long txid) {}

  private final Path file;
  private final FileChannel channel;
  private final Meta meta;

  /// Per name the bucket's value in the root: a root page's id, or an inline page.
  private final SequencedMap<String, byte[]> buckets = new LinkedHashMap<>();

  private BboltReader(Path file, FileChannel channel) throws IOException {
    this.file = file;
    this.channel = channel;
    this.meta = newestMeta();
    long needed = meta.pages() * meta.pageBytes();
    if (channel.size() < needed) {
      throw unexpected(channel.size(), "a file of " + needed + " bytes or more", "its end");
    }
    Cursor names = new Cursor(true, page(meta.root(), 0));
    while (names.next()) {
      if (names.value().length < BboltFormat.BUCKET_BYTES) {
        throw unexpected(meta.root() * meta.pageBytes(), "a bucket", "a shorter value");
      }
      buckets.put(new String(names.key(), UTF_8), names.value());
    }
  }

  /// @throws StorageException when the file cannot be read or is no whole bbolt file
  public static BboltReader open(Path file) {
    try {
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      try {
        return new BboltReader(file, channel);
      } catch (Throwable failure) {
        channel.close();
        throw failure;
      }
    } catch (IOException failure) {
      throw new StorageException(file, -1, "cannot be read", failure);
    }
  }

  /// Names of the buckets, ascending.
  public List<String> buckets() {
    return List.copyOf(buckets.sequencedKeySet());
  }

  /// Bytes the file's contents take, free pages included (etcd's dbSize); what follows is unused.
  public long sizeBytes() {
    return meta.pages() * meta.pageBytes();
  }

  /// The bucket's pairs in ascending order of their keys; none when there is no such bucket.
  public Cursor cursor(String bucket) {
    byte[] value = buckets.get(bucket);
    if (value == null) {
      return new Cursor(false, null);
    }
    ByteBuffer header = BboltFormat.buffer(value.length).put(value).flip();
    long root = header.getLong(0);
    if (root != 0) {
      return new Cursor(false, page(root, 0));
    }
    if (value.length < BboltFormat.BUCKET_BYTES + BboltFormat.HEADER_BYTES) {
      throw unexpected(-1, "an inline page for bucket " + bucket, value.length + " bytes");
    }
    return new Cursor(false, new BboltPage(file, -1, header, BboltFormat.BUCKET_BYTES));
  }

  /// Walks over pairs: [#next] first, then [#key] and [#value], which are copies.
  public final class Cursor {
    private final boolean ofBuckets;
    private final ArrayDeque<Place> path = new ArrayDeque<>();
    private byte @Nullable [] key;
    private byte[] value = {};
    private long pagesRead;

    private static final class Place {
      final BboltPage page;
      int next;

      Place(BboltPage page) {
        this.page = page;
      }
    }

    private Cursor(boolean ofBuckets, @Nullable BboltPage root) {
      this.ofBuckets = ofBuckets;
      if (root != null) {
        path.push(new Place(root));
      }
    }

    /// @return false behind the last pair
    public boolean next() {
      while (!path.isEmpty()) {
        Place place = path.peek();
        if (place.next == place.page.count()) {
          path.pop();
        } else if (place.page.isLeaf()) {
          take(place.page, place.next++);
          return true;
        } else {
          path.push(new Place(page(place.page.child(place.next++), ++pagesRead)));
          if (path.size() > MOST_LEVELS) {
            throw unexpected(-1, "at most " + MOST_LEVELS + " levels", "more");
          }
        }
      }
      return false;
    }

    private void take(BboltPage page, int at) {
      byte[] read = page.key(at);
      if (page.isBucket(at) != ofBuckets) {
        throw unexpected(-1, ofBuckets ? "a bucket" : "a pair", ofBuckets ? "a pair" : "a bucket");
      }
      if (key != null && Arrays.compareUnsigned(read, key) <= 0) {
        throw unexpected(-1, "ascending keys", "a key that is not above the one before");
      }
      key = read;
      value = page.value(at);
    }

    public byte[] key() {
      if (key == null) {
        throw new IllegalStateException("before the first pair");
      }
      return key;
    }

    public byte[] value() {
      return value;
    }
  }

  /// @param pagesRead how many the walk has read before; more than there are means a loop
  private BboltPage page(long id, long pagesRead) {
    if (id < BboltFormat.FIRST_PAGE || id >= meta.pages() || pagesRead > meta.pages()) {
      throw unexpected(-1, "a page below " + meta.pages(), "page " + id);
    }
    long offset = id * meta.pageBytes();
    ByteBuffer header = read(offset, BboltFormat.HEADER_BYTES);
    long overflow = Integer.toUnsignedLong(header.getInt(12));
    if (header.getLong(0) != id) {
      throw unexpected(offset, "page " + id, "page " + header.getLong(0));
    }
    long bytes = (overflow + 1) * meta.pageBytes();
    if (id + overflow >= meta.pages() || bytes > Integer.MAX_VALUE - 8) {
      throw unexpected(offset, "overflow within the file", overflow + " pages");
    }
    return new BboltPage(file, offset, read(offset, (int) bytes), 0);
  }

  private Meta newestMeta() throws IOException {
    List<Meta> valid = new ArrayList<>();
    Meta first = metaAt(0);
    if (first != null) {
      valid.add(first);
    }
    for (int pageBytes = 1024; pageBytes <= 1 << 24; pageBytes *= 2) {
      Meta second = first == null || first.pageBytes() == pageBytes ? metaAt(pageBytes) : null;
      if (second != null && second.pageBytes() == pageBytes) {
        valid.add(second);
        break;
      }
    }
    return valid.stream()
        .max((left, right) -> Long.compareUnsigned(left.txid(), right.txid()))
        .orElseThrow(() -> unexpected(0, "a bbolt meta page", "none, nor a second one"));
  }

  private @Nullable Meta metaAt(long offset) throws IOException {
    if (channel.size() < offset + BboltFormat.HEADER_BYTES + BboltFormat.META_BYTES) {
      return null;
    }
    ByteBuffer meta = read(offset, BboltFormat.HEADER_BYTES + BboltFormat.META_BYTES);
    int start = BboltFormat.HEADER_BYTES;
    int pageBytes = meta.getInt(start + 8);
    boolean valid =
        meta.getInt(start) == BboltFormat.MAGIC
            && meta.getInt(start + 4) == BboltFormat.VERSION
            && meta.getLong(start + 56) == BboltFormat.checksum(meta, start)
            && pageBytes >= 1024
            && Integer.bitCount(pageBytes) == 1;
    return valid
        ? new Meta(
            pageBytes, meta.getLong(start + 16), meta.getLong(start + 40), meta.getLong(start + 48))
        : null;
  }

  private ByteBuffer read(long offset, int bytes) {
    ByteBuffer into = BboltFormat.buffer(bytes);
    try {
      while (into.hasRemaining()) {
        if (channel.read(into, offset + into.position()) < 0) {
          throw unexpected(offset + into.position(), bytes + " bytes from " + offset, "the end");
        }
      }
    } catch (IOException failure) {
      throw new StorageException(file, offset, "cannot be read", failure);
    }
    return into.flip();
  }

  private StorageException unexpected(long offset, String expected, String found) {
    return BboltFormat.unexpected(file, offset, expected, found);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException failure) {
      throw new StorageException(file, -1, "cannot be closed", failure);
    }
  }
}
