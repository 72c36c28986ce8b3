package dev.etcdj.mvcc.bbolt;

import dev.etcdj.mvcc.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/// Layout of a bbolt file, version 2, little endian.
///
/// ```
/// page      │ u64 id │ u16 flags │ u16 count │ u32 overflow │ elements │ data │
/// branch    │ u32 pos │ u32 keyBytes │ u64 child │                          per element
/// leaf      │ u32 flags │ u32 pos │ u32 keyBytes │ u32 valueBytes │         per element
/// meta      │ u32 magic │ u32 version │ u32 pageBytes │ u32 flags │
///           │ u64 root │ u64 sequence │ u64 freelist │ u64 pages │ u64 txid │ u64 checksum │
/// bucket    │ u64 root, 0: inline │ u64 sequence │ inline: a leaf page │     as a leaf's value
/// ```
///
/// `pos` counts from the start of its element. A page with overflow n spans n + 1 pages.
final class BboltFormat {
  static final int PAGE_BYTES = 4096;
  static final int HEADER_BYTES = 16;
  static final int ELEMENT_BYTES = 16;
  static final int BUCKET_BYTES = 16;
  static final int META_BYTES = 64;

  static final int BRANCH = 0x01;
  static final int LEAF = 0x02;
  static final int META = 0x04;
  static final int FREELIST = 0x10;

  static final int MAGIC = 0xED0CDAED;
  static final int VERSION = 2;
  static final int MAX_KEY_BYTES = 32_768;
  static final long FIRST_PAGE = 2;

  private BboltFormat() {}

  /// FNV-1a, 64 bits, over the meta fields in front of the checksum.
  static long checksum(ByteBuffer meta, int offset) {
    long hash = 0xCBF29CE484222325L;
    for (int at = offset; at < offset + META_BYTES - 8; at++) {
      hash = (hash ^ (meta.get(at) & 0xff)) * 0x100000001B3L;
    }
    return hash;
  }

  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static StorageException unexpected(Path file, long offset, String expected, String found) {
    return new StorageException(file, offset, "expected " + expected + ", found " + found, null);
  }
}
