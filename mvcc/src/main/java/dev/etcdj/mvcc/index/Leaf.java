package dev.etcdj.mvcc.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Up to [#MAX_ENTRIES] keys side by side with the newest change of each, in columns: a search
/// touches one array of key bytes, a scan runs through memory in order, and a million keys are
/// some twenty thousand objects to the garbage collector instead of two million.
///
/// ```
/// keys      k0 k1 k2 …          bytes one after the other; key i ends before ends[i]
/// mods      main revision of the newest change
/// subs      its sub revision; absent while all are 0
/// creates   main revision that began the generation; 0 after a deletion
/// versions  puts in the generation; 0 after a deletion
/// histories superseded changes; absent while no key has any
/// ```
final class Leaf extends Node {
  static final int MAX_ENTRIES = 64;

  /// Splits leaves of long keys early, so that a copy stays cheap.
  static final int MAX_KEY_BYTES = 8 << 10;

  static final Leaf EMPTY = new Leaf(-1, 0, 0);

  private int size;
  private byte[] keys;
  private int[] ends;
  long[] mods;
  private int @Nullable [] subs;
  long[] creates;
  long[] versions;
  private @Nullable History @Nullable [] histories;

  /// Whether `keys` and `ends` belong to an older leaf too.
  private boolean keysShared;

  Leaf(long owner, int capacity, int keyBytes) {
    super(owner);
    keys = new byte[keyBytes];
    ends = new int[capacity];
    mods = new long[capacity];
    creates = new long[capacity];
    versions = new long[capacity];
  }

  @Override
  int size() {
    return size;
  }

  int keyBytes() {
    return start(size);
  }

  boolean isOverfull() {
    return size > MAX_ENTRIES || (size > 1 && keyBytes() > MAX_KEY_BYTES);
  }

  int sub(int at) {
    return subs == null ? 0 : subs[at];
  }

  @Nullable History history(int at) {
    return histories == null ? null : histories[at];
  }

  byte[] key(int at) {
    return Arrays.copyOfRange(keys, start(at), ends[at]);
  }

  /// Position of the first key ≥ `key`.
  int lowerBound(byte[] key) {
    int low = 0;
    int high = size;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (compare(mid, key) < 0) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }

  boolean holds(int at, byte[] key) {
    return at < size && Arrays.equals(keys, start(at), ends[at], key, 0, key.length);
  }

  /// Live keys before position `to`.
  int liveBefore(int to) {
    int count = 0;
    for (int i = 0; i < to; i++) {
      count += versions[i] > 0 ? 1 : 0;
    }
    return count;
  }

  /// This leaf if `epoch` may change it, else a copy with room for `more` entries.
  Leaf owned(long epoch, int more, int moreKeyBytes) {
    if (owner == epoch) {
      return this;
    }
    Leaf copy = new Leaf(epoch, 0, 0);
    copy.size = size;
    copy.live = live;
    copy.maxMod = maxMod;
    int capacity = size + more;
    if (more > 0) {
      copy.keys = Arrays.copyOf(keys, keyBytes() + moreKeyBytes);
      copy.ends = Arrays.copyOf(ends, capacity);
    } else {
      // Key columns change by insertion only, and that makes room first: share them.
      copy.keys = keys;
      copy.ends = ends;
      copy.keysShared = true;
    }
    copy.resizeColumns(this, capacity);
    return copy;
  }

  /// Replaces the newest change of entry `at`, which becomes history.
  void supersede(int at, long main, int sub, long create, long version) {
    if (histories == null) {
      histories = new History[mods.length];
    }
    histories[at] = History.append(histories[at], mods[at], sub(at), creates[at], versions[at]);
    live += (version > 0 ? 1 : 0) - (versions[at] > 0 ? 1 : 0);
    set(at, main, sub, create, version);
  }

  void insert(int at, byte[] key, long main, int sub, long create, long version) {
    makeRoom(key.length);
    int from = start(at);
    int moved = size - at;
    System.arraycopy(keys, from, keys, from + key.length, keyBytes() - from);
    System.arraycopy(key, 0, keys, from, key.length);
    for (int i = size; i > at; i--) {
      ends[i] = ends[i - 1] + key.length;
    }
    ends[at] = from + key.length;
    System.arraycopy(mods, at, mods, at + 1, moved);
    System.arraycopy(creates, at, creates, at + 1, moved);
    System.arraycopy(versions, at, versions, at + 1, moved);
    if (subs != null) {
      System.arraycopy(subs, at, subs, at + 1, moved);
    }
    if (histories != null) {
      System.arraycopy(histories, at, histories, at + 1, moved);
      histories[at] = null;
    }
    size++;
    live += version > 0 ? 1 : 0;
    set(at, main, sub, create, version);
  }

  /// Moves the entries from `at` on into a new leaf.
  Leaf split(int at) {
    Leaf right = slice(at, size);
    Leaf left = slice(0, at);
    take(left);
    return right;
  }

  /// Where to split: in the middle, by bytes when long keys are the cause.
  int splitPoint() {
    if (size > MAX_ENTRIES) {
      return size / 2;
    }
    int at = 1;
    while (at < size - 1 && ends[at - 1] < keyBytes() / 2) {
      at++;
    }
    return at;
  }

  /// Entries [from, to) as a leaf of their own, without spare room.
  private Leaf slice(int from, int to) {
    Leaf part = new Leaf(owner, to - from, start(to) - start(from));
    part.append(this, from, to);
    return part;
  }

  private void append(Leaf source, int from, int to) {
    for (int i = from; i < to; i++) {
      copyEntry(source, i, source.history(i));
    }
  }

  /// This leaf's entries followed by those of `right`, in a new leaf.
  Leaf concat(long epoch, Leaf right) {
    Leaf both = new Leaf(epoch, size + right.size, keyBytes() + right.keyBytes());
    both.append(this, 0, size);
    both.append(right, 0, right.size);
    return both;
  }

  /// A leaf without what no read at `revision` or later needs: superseded changes, and keys whose
  /// deletion is not younger. The same leaf when there is nothing to drop.
  Leaf pruned(long epoch, long revision) {
    if (!hasPrunable(revision)) {
      return this;
    }
    Leaf rest = new Leaf(epoch, size, keyBytes());
    for (int i = 0; i < size; i++) {
      if (versions[i] == 0 && mods[i] <= revision) {
        continue;
      }
      History history = history(i);
      rest.copyEntry(
          this, i, history == null ? null : history.without(history.prunable(revision, mods[i])));
    }
    rest.trim();
    return rest;
  }

  private boolean hasPrunable(long revision) {
    for (int i = 0; i < size; i++) {
      if (versions[i] == 0 && mods[i] <= revision) {
        return true;
      }
      History history = history(i);
      if (history != null && history.prunable(revision, mods[i]) > 0) {
        return true;
      }
    }
    return false;
  }

  /// Gives spare room back.
  void trim() {
    if (mods.length > size || keys.length > keyBytes()) {
      keys = Arrays.copyOf(keys, keyBytes());
      ends = Arrays.copyOf(ends, size);
      keysShared = false;
      resizeColumns(this, size);
    }
  }

  private void copyEntry(Leaf source, int i, @Nullable History history) {
    int from = source.start(i);
    int length = source.ends[i] - from;
    int to = keyBytes();
    System.arraycopy(source.keys, from, keys, to, length);
    ends[size] = to + length;
    if (history != null) {
      if (histories == null) {
        histories = new History[mods.length];
      }
      histories[size] = history;
    }
    int at = size++;
    live += source.versions[i] > 0 ? 1 : 0;
    set(at, source.mods[i], source.sub(i), source.creates[i], source.versions[i]);
  }

  private void set(int at, long main, int sub, long create, long version) {
    mods[at] = main;
    creates[at] = create;
    versions[at] = version;
    if (subs == null && sub != 0) {
      subs = new int[mods.length];
    }
    if (subs != null) {
      subs[at] = sub;
    }
    maxMod = Math.max(maxMod, main);
  }

  private void makeRoom(int moreKeyBytes) {
    int bytes = keyBytes() + moreKeyBytes;
    if (keysShared || keys.length < bytes) {
      keys = Arrays.copyOf(keys, Math.max(bytes, keyBytes() + keyBytes() / 2));
    }
    if (mods.length == size) {
      int capacity = size + Math.max(4, size / 2);
      ends = Arrays.copyOf(ends, capacity);
      resizeColumns(this, capacity);
    } else if (keysShared || ends.length == size) {
      ends = Arrays.copyOf(ends, mods.length);
    }
    keysShared = false;
  }

  private void resizeColumns(Leaf source, int capacity) {
    mods = Arrays.copyOf(source.mods, capacity);
    creates = Arrays.copyOf(source.creates, capacity);
    versions = Arrays.copyOf(source.versions, capacity);
    subs = source.subs == null ? null : Arrays.copyOf(source.subs, capacity);
    histories = source.histories == null ? null : Arrays.copyOf(source.histories, capacity);
  }

  private void take(Leaf other) {
    size = other.size;
    live = other.live;
    maxMod = other.maxMod;
    keys = other.keys;
    ends = other.ends;
    keysShared = false;
    mods = other.mods;
    subs = other.subs;
    creates = other.creates;
    versions = other.versions;
    histories = other.histories;
  }

  private int compare(int at, byte[] key) {
    return Arrays.compareUnsigned(keys, start(at), ends[at], key, 0, key.length);
  }

  private int start(int at) {
    return at == 0 ? 0 : ends[at - 1];
  }
}
