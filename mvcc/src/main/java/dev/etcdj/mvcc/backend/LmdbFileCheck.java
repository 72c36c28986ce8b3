package dev.etcdj.mvcc.backend;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.etcdj.mvcc.StorageException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Reads an LMDB file before LMDB does, which trusts it: a file cut off or overwritten would end
/// the process. All pages that the newest state reaches are visited, their headers and the extent
/// of their nodes checked; LMDB keeps no checksum of what is inside.
///
/// ```
/// page:   | number 8 | pad 2 | flags 2 | lower 2 | upper 2 | node offsets 2 each … nodes |
///         overflow pages have the count of pages, 4 bytes, in place of lower and upper
/// meta:   | header 16 | magic 4 | version 4 | address 8 | map size 8 | free db 48 | main db 48 |
///         | last page 8 | transaction 8 |                     pages 0 and 1; greatest wins
/// db:     | page size or pad 4 | flags 2 | depth 2 | branch 8 | leaf 8 | overflow 8 |
///         | entries 8 | root 8 |
/// branch: | page number 0..31 4 | page number 32..47 2 | key bytes 2 | key |
/// leaf:   | value bytes 4 | flags 2 | key bytes 2 | key | value, or first overflow page, or db |
/// ```
///
/// Numbers are little-endian: a file of a machine of the other kind is foreign.
final class LmdbFileCheck {
  private static final int MAGIC = 0xBEEFC0DE;
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 16;
  private static final int DB_BYTES = 48;
  private static final int META_BYTES = 152;
  private static final int FREE_DB = 40;
  private static final int MAIN_DB = 88;
  private static final int MIN_PAGE_BYTES = 512;
  private static final int MAX_PAGE_BYTES = 32_768;
  private static final int BRANCH = 0x01;
  private static final int LEAF = 0x02;
  private static final int OVERFLOW = 0x04;
  private static final int META = 0x08;
  private static final int BIG_DATA = 0x01;
  private static final int SUB_DB = 0x02;
  private static final int MAX_DEPTH = 32;
  private static final long NO_PAGE = -1;

  private static final ValueLayout.OfShort SHORT =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path file;
  private final MemorySegment bytes;
  private int pageBytes;
  private long lastPage;
  private long visited;

  private LmdbFileCheck(Path file, MemorySegment bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /// @param mapBytes what the file will be mapped with
  /// @throws StorageException naming the first thing that is not as it should be; an empty file is
  ///     as it should be, being what a crash at the very beginning leaves
  static void check(Path file, long mapBytes) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      long length = channel.size();
      if (length > 0) {
        MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, length, arena);
        new LmdbFileCheck(file, all).run(mapBytes);
      }
    } catch (IOException e) {
      throw new StorageException(file, -1, "cannot be read", e);
    }
  }

  private void run(long mapBytes) {
    checkMeta(0);
    pageBytes = bytes.get(INT, FREE_DB);
    if (Integer.bitCount(pageBytes) != 1
        || pageBytes < MIN_PAGE_BYTES
        || pageBytes > MAX_PAGE_BYTES) {
      throw wrong(FREE_DB, "a page size", pageBytes);
    }
    checkMeta(pageBytes);
    long first = bytes.get(LONG, META_BYTES - 8);
    long second = bytes.get(LONG, pageBytes + META_BYTES - 8);
    long newest = second > first ? pageBytes : 0;
    lastPage = bytes.get(LONG, newest + META_BYTES - 16);
    if (lastPage < 1 || (lastPage + 1) > mapBytes / pageBytes) {
      throw wrong(newest + META_BYTES - 16, "a last page within " + mapBytes + " bytes", lastPage);
    }
    checkDb(newest + FREE_DB, false);
    checkDb(newest + MAIN_DB, true);
  }

  private void checkMeta(long at) {
    if (bytes.byteSize() < at + META_BYTES) {
      throw new StorageException(
          file,
          bytes.byteSize(),
          "expected an LMDB meta page up to byte " + (at + META_BYTES) + ", found the end",
          null);
    }
    if (bytes.get(INT, at + HEADER_BYTES) != MAGIC) {
      throw wrong(at + HEADER_BYTES, "LMDB's magic " + MAGIC, bytes.get(INT, at + HEADER_BYTES));
    }
    if (bytes.get(INT, at + HEADER_BYTES + 4) != VERSION) {
      throw wrong(at + HEADER_BYTES + 4, "data version 1", bytes.get(INT, at + HEADER_BYTES + 4));
    }
    int flags = flags(at);
    if ((flags & META) == 0) {
      throw wrong(at + 10, "the flags of a meta page", flags);
    }
  }

  private void checkDb(long at, boolean named) {
    long root = bytes.get(LONG, at + DB_BYTES - 8);
    int depth = bytes.get(SHORT, at + 6);
    if (root == NO_PAGE) {
      return;
    }
    if (depth < 1 || depth > MAX_DEPTH) {
      throw wrong(at + 6, "a tree of 1 to " + MAX_DEPTH + " levels", depth);
    }
    checkPage(root, at + DB_BYTES - 8, depth, named);
  }

  /// @param from where the page's number stands
  /// @param level 1 for leaves
  private void checkPage(long page, long from, int level, boolean named) {
    long at = enter(page, 1, from);
    int kind = level == 1 ? LEAF : BRANCH;
    if (flags(at) != kind) {
      throw wrong(at + 10, "page flags " + kind, flags(at));
    }
    int lower = unsigned(at + 12);
    int upper = unsigned(at + 14);
    if (lower < HEADER_BYTES || lower % 2 != 0 || upper < lower || upper > pageBytes) {
      throw wrong(at + 12, "bounds within the page", lower);
    }
    for (int slot = HEADER_BYTES; slot < lower; slot += 2) {
      int offset = unsigned(at + slot);
      if (offset < upper || offset + 8 > pageBytes) {
        throw wrong(at + slot, "a node within " + upper + ".." + pageBytes, offset);
      }
      long node = at + offset;
      int end = offset + 8 + unsigned(node + 6);
      if (level > 1) {
        checkNodeEnd(node, end);
        long child = (bytes.get(INT, node) & 0xffff_ffffL) | (long) unsigned(node + 4) << 32;
        checkPage(child, node, level - 1, named);
      } else {
        checkLeaf(at, node, end, named);
      }
    }
  }

  private void checkLeaf(long page, long node, int valueOffset, boolean named) {
    int flags = unsigned(node + 4);
    long valueBytes = bytes.get(INT, node) & 0xffff_ffffL;
    long value = page + valueOffset;
    switch (flags) {
      case 0 -> checkNodeEnd(node, valueOffset + valueBytes);
      case BIG_DATA -> {
        checkNodeEnd(node, valueOffset + 8);
        checkOverflow(bytes.get(LONG, value), valueBytes, value);
      }
      case SUB_DB -> {
        checkNodeEnd(node, valueOffset + DB_BYTES);
        if (!named) {
          throw wrong(node + 4, "plain data", flags);
        }
        checkDb(value, false);
      }
      default -> throw wrong(node + 4, "node flags 0, 1 or 2", flags);
    }
  }

  private void checkNodeEnd(long node, long end) {
    if (end > pageBytes) {
      throw wrong(node, "a node that ends within its page of " + pageBytes, end);
    }
  }

  private void checkOverflow(long page, long valueBytes, long from) {
    long pages = (HEADER_BYTES + valueBytes + pageBytes - 1) / pageBytes;
    long at = enter(page, pages, from);
    if (flags(at) != OVERFLOW) {
      throw wrong(at + 10, "page flags " + OVERFLOW, flags(at));
    }
    if (bytes.get(INT, at + 12) < pages) {
      throw wrong(at + 12, "at least " + pages + " pages", bytes.get(INT, at + 12));
    }
  }

  /// Where `page` begins, once it and those behind it are known to exist.
  private long enter(long page, long pages, long from) {
    if (page < 2 || page + pages - 1 > lastPage) {
      throw wrong(from, "a page within 2.." + lastPage, page);
    }
    long at = page * pageBytes;
    long end = at + pages * pageBytes;
    if (bytes.byteSize() < end) {
      throw new StorageException(
          file,
          bytes.byteSize(),
          "expected page " + page + " up to byte " + end + ", found the end",
          null);
    }
    if (bytes.get(LONG, at) != page) {
      throw wrong(at, "page number " + page, bytes.get(LONG, at));
    }
    visited += pages;
    if (visited > lastPage) {
      throw wrong(from, "at most " + lastPage + " pages in all", visited);
    }
    return at;
  }

  private int flags(long page) {
    return unsigned(page + 10);
  }

  private int unsigned(long at) {
    return bytes.get(SHORT, at) & 0xffff;
  }

  private StorageException wrong(long at, String expected, long found) {
    return new StorageException(file, at, "expected " + expected + ", found " + found, null);
  }
}
