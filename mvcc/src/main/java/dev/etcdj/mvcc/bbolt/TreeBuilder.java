package dev.etcdj.mvcc.bbolt;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Builds one bucket's tree bottom up from ascending keys: leaves are written as they fill, each
/// puts its first key into the level above, and so on. Holds one unfinished page per level.
final class TreeBuilder {

  /// Takes a finished page and says which id it got.
  @FunctionalInterface
  interface PageSink {
    /// @param page its id field still unset; a multiple of the page size
    long write(ByteBuffer page);
  }

  private final PageSink sink;
  private final PendingPage leaf = new PendingPage(BboltFormat.LEAF);
  private final List<PendingPage> branches = new ArrayList<>();

  TreeBuilder(PageSink sink) {
    this.sink = sink;
  }

  void put(int flags, ByteBuffer key, ByteBuffer value) {
    if (leaf.count > 0 && !leaf.fits(key.remaining() + value.remaining())) {
      flush(leaf, 0);
    }
    leaf.addLeaf(flags, key, value);
  }

  /// The only page, when everything fits into `bytes`; the builder is spent then.
  @Nullable ByteBuffer inline(int bytes) {
    return branches.isEmpty() && leaf.bytes() <= bytes ? leaf.image(leaf.bytes()) : null;
  }

  /// Writes what is unfinished.
  ///
  /// @return id of the root page
  long finish() {
    long root = flush(leaf, 0);
    for (int level = 0; level < branches.size(); level++) {
      PendingPage branch = branches.get(level);
      boolean top = level == branches.size() - 1;
      if (top && branch.count == 1 && branch.flushed == 0) {
        return root;
      }
      if (branch.count > 0) {
        root = flush(branch, level + 1);
      }
    }
    return root;
  }

  private long flush(PendingPage page, int level) {
    byte[] first = page.firstKey();
    long id = sink.write(page.image(page.roundedBytes()));
    page.clear();
    if (level == branches.size()) {
      branches.add(new PendingPage(BboltFormat.BRANCH));
    }
    PendingPage above = branches.get(level);
    if (above.count >= 2 && !above.fits(first.length)) {
      flush(above, level + 1);
    }
    above.addBranch(first, id);
    return id;
  }

  /// Elements and data of a page that is not full yet.
  private static final class PendingPage {
    final int kind;
    int count;
    int flushed;
    private ByteBuffer elements = BboltFormat.buffer(BboltFormat.PAGE_BYTES);
    private ByteBuffer data = BboltFormat.buffer(BboltFormat.PAGE_BYTES);
    private int firstKeyBytes;

    PendingPage(int kind) {
      this.kind = kind;
    }

    int bytes() {
      return Math.addExact(BboltFormat.HEADER_BYTES + elements.position(), data.position());
    }

    int roundedBytes() {
      return Math.ceilDiv(bytes(), BboltFormat.PAGE_BYTES) * BboltFormat.PAGE_BYTES;
    }

    boolean fits(int moreData) {
      return bytes() + (long) BboltFormat.ELEMENT_BYTES + moreData <= BboltFormat.PAGE_BYTES;
    }

    byte[] firstKey() {
      return Arrays.copyOf(data.array(), firstKeyBytes);
    }

    void addLeaf(int flags, ByteBuffer key, ByteBuffer value) {
      noteFirst(key.remaining());
      elements = room(elements, BboltFormat.ELEMENT_BYTES);
      // The position is set once it is known how many elements stand in front of the data.
      elements.putInt(flags).putInt(data.position()).putInt(key.remaining());
      elements.putInt(value.remaining());
      data = room(data, Math.addExact(key.remaining(), value.remaining()));
      data.put(key.duplicate()).put(value.duplicate());
      count++;
    }

    void addBranch(byte[] key, long child) {
      noteFirst(key.length);
      elements = room(elements, BboltFormat.ELEMENT_BYTES);
      elements.putInt(data.position()).putInt(key.length).putLong(child);
      data = room(data, key.length).put(key);
      count++;
    }

    private void noteFirst(int keyBytes) {
      if (count == 0) {
        firstKeyBytes = keyBytes;
      }
    }

    ByteBuffer image(int bytes) {
      ByteBuffer page = BboltFormat.buffer(bytes);
      int overflow = Math.max(0, bytes / BboltFormat.PAGE_BYTES - 1);
      page.putLong(0).putShort((short) kind).putShort((short) count).putInt(overflow);
      int positionField = kind == BboltFormat.LEAF ? 4 : 0;
      for (int at = 0; at < count; at++) {
        int element = at * BboltFormat.ELEMENT_BYTES;
        int fromElement = elements.position() - element;
        int field = element + positionField;
        elements.putInt(field, elements.getInt(field) + fromElement);
      }
      page.put(elements.array(), 0, elements.position()).put(data.array(), 0, data.position());
      return page.clear();
    }

    void clear() {
      count = 0;
      flushed++;
      elements.clear();
      data =
          data.capacity() > 16 * BboltFormat.PAGE_BYTES
              ? BboltFormat.buffer(BboltFormat.PAGE_BYTES)
              : data.clear();
    }

    private static ByteBuffer room(ByteBuffer buffer, int bytes) {
      if (buffer.remaining() >= bytes) {
        return buffer;
      }
      int needed = Math.addExact(buffer.position(), bytes);
      int grown = (int) Math.min(2L * needed, Integer.MAX_VALUE - 8);
      return BboltFormat.buffer(Math.max(needed, grown)).put(buffer.flip());
    }
  }
}
