package dev.etcdj.mvcc.bbolt;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/// A branch or leaf page in memory, its elements checked against its bounds when they are read.
final class BboltPage {
  private final Path file;
  private final long offset;
  private final ByteBuffer bytes;
  private final int start;
  private final int kind;
  private final int count;

  /// @param offset of the page in the file, for messages
  /// @param start where in `bytes` the page begins; it ends where they end
  BboltPage(Path file, long offset, ByteBuffer bytes, int start) {
    this.file = file;
    this.offset = offset;
    this.bytes = bytes;
    this.start = start;
    this.kind = bytes.getShort(start + 8);
    this.count = bytes.getShort(start + 10) & 0xffff;
    if (kind != BboltFormat.BRANCH && kind != BboltFormat.LEAF) {
      throw BboltFormat.unexpected(file, offset, "a branch or leaf page", "flags " + kind);
    }
    if (BboltFormat.HEADER_BYTES + (long) count * BboltFormat.ELEMENT_BYTES
        > bytes.limit() - start) {
      throw BboltFormat.unexpected(file, offset, "as many elements as fit", count + " elements");
    }
    if (count == 0 && kind == BboltFormat.BRANCH) {
      throw BboltFormat.unexpected(file, offset, "a branch page with children", "none");
    }
  }

  boolean isLeaf() {
    return kind == BboltFormat.LEAF;
  }

  int count() {
    return count;
  }

  long child(int at) {
    return bytes.getLong(element(at) + 8);
  }

  boolean isBucket(int at) {
    return (bytes.getInt(element(at)) & 1) != 0;
  }

  byte[] key(int at) {
    int element = element(at);
    int field = isLeaf() ? 4 : 0;
    return slice(element, bytes.getInt(element + field), 0, bytes.getInt(element + field + 4));
  }

  byte[] value(int at) {
    int element = element(at);
    int keyBytes = bytes.getInt(element + 8);
    return slice(element, bytes.getInt(element + 4), keyBytes, bytes.getInt(element + 12));
  }

  private int element(int at) {
    return start + BboltFormat.HEADER_BYTES + at * BboltFormat.ELEMENT_BYTES;
  }

  private byte[] slice(int element, int position, int skipped, int length) {
    long from = element + Integer.toUnsignedLong(position) + Integer.toUnsignedLong(skipped);
    long to = from + Integer.toUnsignedLong(length);
    if (to > bytes.limit()) {
      throw BboltFormat.unexpected(
          file,
          offset,
          "data within the page of " + (bytes.limit() - start) + " bytes",
          "data up to byte " + (to - start));
    }
    return Arrays.copyOfRange(bytes.array(), (int) from, (int) to);
  }
}
