package dev.etcdj.raft.log;

import java.util.AbstractList;
import java.util.RandomAccess;

/// An immutable run of entries with consecutive indexes, cut from a log without copying. Its part
/// of the shared array is never written again ([EntryBuffer] sees to that), so a slice may be
/// handed to other threads by any safe publication.
final class LogSlice extends AbstractList<Entry> implements RandomAccess {
  private final Entry[] entries;
  private final int from;
  private final int size;

  LogSlice(Entry[] entries, int from, int to) {
    this.entries = entries;
    this.from = from;
    this.size = to - from;
  }

  @Override
  public Entry get(int position) {
    if (position < 0 || position >= size) {
      throw new IndexOutOfBoundsException(position);
    }
    return entries[from + position];
  }

  @Override
  public int size() {
    return size;
  }
}
