package dev.etcdj.mvcc.index;

/// A node of the tree. Frozen once a view of it was taken: the writer may change only nodes whose
/// `owner` is its present epoch, and copies the others first.
abstract sealed class Node permits Leaf, Branch {
  /// Epoch of the writer that made this node.
  long owner;

  /// Keys below whose newest change is a put.
  int live;

  /// No change below has a greater main revision: what a reader at that revision or later sees
  /// here is what is newest here.
  long maxMod;

  Node(long owner) {
    this.owner = owner;
  }

  /// Entries or children.
  abstract int size();
}
