package dev.etcdj.mvcc.bbolt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.etcdj.mvcc.InvariantViolation;
import dev.etcdj.mvcc.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes a bbolt file in one pass, buckets in ascending order of their names and in each the pairs
/// in ascending order of their keys:
///
/// ```java
/// try (var writer = BboltWriter.create(target)) {
///   writer.bucket("alarm");
///   writer.bucket("key");
///   writer.put(key, value);
///   writer.finish();
/// }
/// ```
///
/// The file is dense (no free pages), with an empty freelist in page 2, and is valid only once
/// [#finish] has returned: until then its first two pages are zeros. Small buckets lie inline.
public final class BboltWriter implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final int BUCKET_FLAG = 1;
  private static final long FREELIST_PAGE = BboltFormat.FIRST_PAGE;
  private static final ByteBuffer NO_KEY = ByteBuffer.allocate(0);

  private final Path file;
  private final FileChannel channel;
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final TreeBuilder root = new TreeBuilder(this::writePage);

  private long nextPage = FREELIST_PAGE + 1;

  /// Offset at which the buffered bytes go.
  private long position = FREELIST_PAGE * BboltFormat.PAGE_BYTES;

  private @Nullable TreeBuilder bucket;
  private byte[] bucketName = {};
  private byte[] lastKey = new byte[64];
  private int lastKeyBytes;

  private BboltWriter(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
    ByteBuffer freelist = BboltFormat.buffer(BboltFormat.PAGE_BYTES);
    freelist.putLong(0, FREELIST_PAGE).putShort(8, (short) BboltFormat.FREELIST);
    write(freelist);
  }

  /// @throws StorageException when the file exists or cannot be made
  public static BboltWriter create(Path file) {
    try {
      return new BboltWriter(
          file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    } catch (IOException failure) {
      throw new StorageException(file, -1, "cannot be made", failure);
    }
  }

  /// Ends the bucket before and begins the next.
  ///
  /// @param name above the one before
  public void bucket(String name) {
    byte[] bytes = name.getBytes(UTF_8);
    if (bytes.length == 0 || Arrays.compareUnsigned(bytes, bucketName) <= 0) {
      throw new InvariantViolation("bucket '" + name + "' is not above the one before");
    }
    endBucket();
    bucket = new TreeBuilder(this::writePage);
    bucketName = bytes;
    lastKeyBytes = 0;
  }

  public void put(byte[] key, byte[] value) {
    put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
  }

  /// Adds a pair to the current bucket. Copies what it needs; the buffers stay as they are.
  ///
  /// @param key 1 to 32768 bytes, above the one before
  public void put(ByteBuffer key, ByteBuffer value) {
    if (bucket == null) {
      throw new InvariantViolation("a pair outside of a bucket");
    }
    int keyBytes = key.remaining();
    ByteBuffer before = lastKeyBytes == 0 ? NO_KEY : ByteBuffer.wrap(lastKey, 0, lastKeyBytes);
    if (keyBytes == 0 || keyBytes > BboltFormat.MAX_KEY_BYTES || !isBelow(before, key)) {
      throw new InvariantViolation(
          "a key of " + keyBytes + " bytes that is not above the one before");
    }
    bucket.put(0, key, value);
    if (lastKey.length < keyBytes) {
      lastKey = new byte[Math.max(keyBytes, 2 * lastKey.length)];
    }
    key.duplicate().get(lastKey, 0, keyBytes);
    lastKeyBytes = keyBytes;
  }

  private static boolean isBelow(ByteBuffer left, ByteBuffer right) {
    int at = left.mismatch(right);
    if (at < 0 || at == right.remaining()) {
      return false;
    }
    return at == left.remaining()
        || Byte.compareUnsigned(left.get(left.position() + at), right.get(right.position() + at))
            < 0;
  }

  /// Ends the last bucket and makes the file valid and durable.
  public void finish() {
    endBucket();
    long rootPage = root.finish();
    flush();
    try {
      channel.force(true);
      position = 0;
      write(meta(0, rootPage));
      write(meta(1, rootPage));
      flush();
      channel.force(true);
    } catch (IOException failure) {
      throw new StorageException(file, -1, "cannot be synced", failure);
    }
  }

  private void endBucket() {
    if (bucket == null) {
      return;
    }
    ByteBuffer inline = bucket.inline(BboltFormat.PAGE_BYTES / 4);
    ByteBuffer value;
    if (inline != null) {
      value = BboltFormat.buffer(BboltFormat.BUCKET_BYTES + inline.remaining());
      value.position(BboltFormat.BUCKET_BYTES).put(inline).flip();
    } else {
      value = BboltFormat.buffer(BboltFormat.BUCKET_BYTES).putLong(0, bucket.finish());
    }
    root.put(BUCKET_FLAG, ByteBuffer.wrap(bucketName), value);
    bucket = null;
  }

  private ByteBuffer meta(int page, long rootPage) {
    ByteBuffer meta = BboltFormat.buffer(BboltFormat.PAGE_BYTES);
    meta.putLong(page).putShort((short) BboltFormat.META).putShort((short) 0).putInt(0);
    meta.putInt(BboltFormat.MAGIC).putInt(BboltFormat.VERSION).putInt(BboltFormat.PAGE_BYTES);
    meta.putInt(0).putLong(rootPage).putLong(0).putLong(FREELIST_PAGE).putLong(nextPage);
    meta.putLong(page);
    return meta.putLong(BboltFormat.checksum(meta, BboltFormat.HEADER_BYTES)).clear();
  }

  private long writePage(ByteBuffer page) {
    long id = nextPage;
    page.putLong(0, id);
    nextPage += page.remaining() / BboltFormat.PAGE_BYTES;
    write(page);
    return id;
  }

  private void write(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      int taken = Math.min(out.remaining(), bytes.remaining());
      out.put(bytes.slice(bytes.position(), taken));
      bytes.position(bytes.position() + taken);
      if (!out.hasRemaining()) {
        flush();
      }
    }
  }

  private void flush() {
    out.flip();
    try {
      while (out.hasRemaining()) {
        position += channel.write(out, position);
      }
    } catch (IOException failure) {
      throw new StorageException(file, position, "cannot be written", failure);
    }
    out.clear();
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
