package dev.etcdj.raft.quorum;

import dev.etcdj.raft.InvariantViolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// An immutable set of node ids in ascending unsigned order. Small by nature (a cluster has a
/// handful of members), so a linear scan over a flat array beats a hash and boxes nothing.
public final class IdSet {
  /// The set without members.
  public static final IdSet EMPTY = new IdSet(new long[0]);

  private final long[] ids;

  private IdSet(long[] ids) {
    this.ids = ids;
  }

  /// The set of `ids`, in any order; a repeated id counts once.
  public static IdSet of(long... ids) {
    IdSet set = EMPTY;
    for (long id : ids) {
      set = set.with(id);
    }
    return set;
  }

  /// The set of `ids`, in any order; a repeated id counts once.
  public static IdSet of(List<Long> ids) {
    return of(ids.stream().mapToLong(Long::longValue).toArray());
  }

  /// How many ids there are.
  public int size() {
    return ids.length;
  }

  /// Whether there are none.
  public boolean isEmpty() {
    return ids.length == 0;
  }

  /// The id at `position`, in ascending order.
  public long get(int position) {
    return ids[position];
  }

  /// Position of `id`, or -1.
  public int indexOf(long id) {
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == id) {
        return i;
      }
    }
    return -1;
  }

  /// Whether `id` is in the set.
  public boolean contains(long id) {
    return indexOf(id) >= 0;
  }

  /// This set and `id`.
  public IdSet with(long id) {
    if (contains(id)) {
      return this;
    }
    int at = 0;
    while (at < ids.length && Long.compareUnsigned(ids[at], id) < 0) {
      at++;
    }
    long[] more = new long[ids.length + 1];
    System.arraycopy(ids, 0, more, 0, at);
    more[at] = id;
    System.arraycopy(ids, at, more, at + 1, ids.length - at);
    return new IdSet(more);
  }

  /// This set less `id`.
  public IdSet without(long id) {
    int at = indexOf(id);
    if (at < 0) {
      return this;
    }
    long[] fewer = new long[ids.length - 1];
    System.arraycopy(ids, 0, fewer, 0, at);
    System.arraycopy(ids, at + 1, fewer, at, fewer.length - at);
    return fewer.length == 0 ? EMPTY : new IdSet(fewer);
  }

  /// Ids in this set, in `other`, or in both.
  public IdSet union(IdSet other) {
    IdSet all = this;
    for (long id : other.ids) {
      all = all.with(id);
    }
    return all;
  }

  /// Whether no id is in both.
  public boolean isDisjoint(IdSet other) {
    for (long id : ids) {
      if (other.contains(id)) {
        return false;
      }
    }
    return true;
  }

  /// The ids, ascending.
  public List<Long> toList() {
    List<Long> list = new ArrayList<>(ids.length);
    for (long id : ids) {
      list.add(id);
    }
    return list;
  }

  /// Stops the member unless ids are ascending and none is 0.
  public void checkInvariants() {
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == 0 || (i > 0 && Long.compareUnsigned(ids[i - 1], ids[i]) >= 0)) {
        throw new InvariantViolation("node ids out of order or none: " + this);
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IdSet set && Arrays.equals(ids, set.ids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ids);
  }

  /// Ids in hexadecimal, as in `(1 2 a)`.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("(");
    for (int i = 0; i < ids.length; i++) {
      text.append(i == 0 ? "" : " ").append(Long.toHexString(ids[i]));
    }
    return text.append(')').toString();
  }
}
