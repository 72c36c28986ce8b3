package dev.etcdj.mvcc.index;

import java.util.Arrays;

/// Children in key order. Child i + 1 holds the keys ≥ `separators[i]`; `lives[i]` is child i's
/// live count, kept here so that a count need not visit children.
final class Branch extends Node {
  static final int MAX_CHILDREN = 64;

  private int size;
  private Node[] children;
  private byte[][] separators;
  private int[] lives;

  /// Whether `separators` belongs to an older branch too; most copies never change it.
  private boolean separatorsShared;

  private Branch(long owner, int capacity) {
    super(owner);
    children = new Node[capacity];
    separators = new byte[capacity][];
    lives = new int[capacity];
  }

  /// A branch over two nodes, the keys of `right` being ≥ `separator`.
  static Branch over(long epoch, Node left, byte[] separator, Node right) {
    Branch branch = new Branch(epoch, 4);
    branch.append(left, separator);
    branch.append(right, separator);
    return branch;
  }

  @Override
  int size() {
    return size;
  }

  Node child(int at) {
    return children[at];
  }

  /// Least key of child `at`, which is not the first.
  byte[] lowerBoundOf(int at) {
    return separators[at - 1];
  }

  /// The child that holds `key` if any does.
  int childFor(byte[] key) {
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (Arrays.compareUnsigned(separators[mid], key) <= 0) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }

  /// Live keys in the children before `to`.
  int liveBefore(int to) {
    int count = 0;
    for (int i = 0; i < to; i++) {
      count += lives[i];
    }
    return count;
  }

  /// This branch if `epoch` may change it, else a copy.
  Branch owned(long epoch) {
    if (owner == epoch) {
      return this;
    }
    Branch copy = new Branch(epoch, 0);
    copy.size = size;
    copy.live = live;
    copy.maxMod = maxMod;
    copy.children = Arrays.copyOf(children, size);
    copy.separators = separators;
    copy.separatorsShared = true;
    copy.lives = Arrays.copyOf(lives, size);
    return copy;
  }

  /// Puts a changed child in the place of its former self.
  void replace(int at, Node child) {
    children[at] = child;
    live += child.live - lives[at];
    lives[at] = child.live;
    maxMod = Math.max(maxMod, child.maxMod);
  }

  /// Adds `child`, split off from child `at - 1`, which was replaced before.
  void insert(int at, byte[] separator, Node child) {
    ownSeparators();
    if (size == children.length) {
      resize(Math.min(MAX_CHILDREN + 1, size + Math.max(2, size / 2)));
    }
    System.arraycopy(children, at, children, at + 1, size - at);
    System.arraycopy(lives, at, lives, at + 1, size - at);
    System.arraycopy(separators, at - 1, separators, at, size - at);
    children[at] = child;
    lives[at] = child.live;
    separators[at - 1] = separator;
    size++;
    live += child.live;
    maxMod = Math.max(maxMod, child.maxMod);
  }

  /// Takes a child without live keys, or whose keys went into a neighbour, out.
  void remove(int at) {
    ownSeparators();
    live -= lives[at];
    int gone = Math.max(0, at - 1);
    System.arraycopy(children, at + 1, children, at, size - at - 1);
    System.arraycopy(lives, at + 1, lives, at, size - at - 1);
    System.arraycopy(separators, gone + 1, separators, gone, Math.max(0, size - gone - 2));
    size--;
    children = Arrays.copyOf(children, size);
  }

  boolean isOverfull() {
    return size > MAX_CHILDREN;
  }

  /// Moves the children from `at` on into a new branch; their least key is [#lowerBoundOf] `at`.
  Branch split(int at) {
    Branch right = new Branch(owner, size - at);
    for (int i = at; i < size; i++) {
      right.append(children[i], separators[Math.max(0, i - 1)]);
    }
    Branch left = new Branch(owner, at);
    for (int i = 0; i < at; i++) {
      left.append(children[i], separators[Math.max(0, i - 1)]);
    }
    size = at;
    live = left.live;
    maxMod = left.maxMod;
    children = left.children;
    separators = left.separators;
    separatorsShared = false;
    lives = left.lives;
    return right;
  }

  /// The children of both, in a new branch.
  Branch concat(long epoch, byte[] separator, Branch right) {
    Branch both = new Branch(epoch, size + right.size);
    for (int i = 0; i < size; i++) {
      both.append(children[i], separators[Math.max(0, i - 1)]);
    }
    for (int i = 0; i < right.size; i++) {
      both.append(right.children[i], i == 0 ? separator : right.separators[i - 1]);
    }
    return both;
  }

  /// Adds a last child; `separator` is its least key, of no meaning for the first.
  private void append(Node child, byte[] separator) {
    if (size > 0) {
      separators[size - 1] = separator;
    }
    children[size] = child;
    lives[size] = child.live;
    size++;
    live += child.live;
    maxMod = Math.max(maxMod, child.maxMod);
  }

  private void ownSeparators() {
    if (separatorsShared) {
      separators = Arrays.copyOf(separators, children.length);
      separatorsShared = false;
    }
  }

  private void resize(int capacity) {
    children = Arrays.copyOf(children, capacity);
    separators = Arrays.copyOf(separators, capacity);
    lives = Arrays.copyOf(lives, capacity);
  }
}
