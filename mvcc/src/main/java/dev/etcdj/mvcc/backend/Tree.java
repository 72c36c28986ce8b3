package dev.etcdj.mvcc.backend;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A node of an immutable AVL tree from byte keys, in unsigned order, to values; null is the empty
/// tree. A change copies the path to the root, so a reader who holds a root holds a snapshot.
///
/// A null value is a tombstone where the tree is an overlay of something below it.
final class Tree {
  final byte[] key;
  final byte @Nullable [] value;
  private final @Nullable Tree left;
  private final @Nullable Tree right;
  private final int height;

  private Tree(@Nullable Tree left, byte[] key, byte @Nullable [] value, @Nullable Tree right) {
    this.left = left;
    this.key = key;
    this.value = value;
    this.right = right;
    this.height = Math.max(height(left), height(right)) + 1;
  }

  /// The node of `key`, or null.
  static @Nullable Tree find(@Nullable Tree tree, byte[] key) {
    while (tree != null) {
      int order = Arrays.compareUnsigned(key, tree.key);
      if (order == 0) {
        return tree;
      }
      tree = order < 0 ? tree.left : tree.right;
    }
    return null;
  }

  /// `tree` with `key` set to `value`.
  static Tree put(@Nullable Tree tree, byte[] key, byte @Nullable [] value) {
    if (tree == null) {
      return new Tree(null, key, value, null);
    }
    int order = Arrays.compareUnsigned(key, tree.key);
    if (order == 0) {
      return new Tree(tree.left, key, value, tree.right);
    }
    return order < 0
        ? balanced(put(tree.left, key, value), tree, tree.right)
        : balanced(tree.left, tree, put(tree.right, key, value));
  }

  /// `tree` without `key`.
  static @Nullable Tree remove(@Nullable Tree tree, byte[] key) {
    if (tree == null) {
      return null;
    }
    int order = Arrays.compareUnsigned(key, tree.key);
    if (order < 0) {
      Tree left = remove(tree.left, key);
      return left == tree.left ? tree : balanced(left, tree, tree.right);
    }
    if (order > 0) {
      Tree right = remove(tree.right, key);
      return right == tree.right ? tree : balanced(tree.left, tree, right);
    }
    if (tree.left == null || tree.right == null) {
      return tree.left == null ? tree.right : tree.left;
    }
    Tree next = first(tree.right);
    return balanced(tree.left, next, remove(tree.right, next.key));
  }

  private static Tree first(Tree tree) {
    while (tree.left != null) {
      tree = tree.left;
    }
    return tree;
  }

  private static int height(@Nullable Tree tree) {
    return tree == null ? 0 : tree.height;
  }

  /// Joins two trees whose heights differ by at most two around the pair of `middle`.
  private static Tree balanced(@Nullable Tree left, Tree middle, @Nullable Tree right) {
    int lean = height(left) - height(right);
    if (lean > 1 && left != null) {
      Tree inner = left.right;
      if (inner != null && height(left.left) < inner.height) {
        return new Tree(
            new Tree(left.left, left.key, left.value, inner.left),
            inner.key,
            inner.value,
            new Tree(inner.right, middle.key, middle.value, right));
      }
      return new Tree(
          left.left, left.key, left.value, new Tree(inner, middle.key, middle.value, right));
    }
    if (lean < -1 && right != null) {
      Tree inner = right.left;
      if (inner != null && height(right.right) < inner.height) {
        return new Tree(
            new Tree(left, middle.key, middle.value, inner.left),
            inner.key,
            inner.value,
            new Tree(inner.right, right.key, right.value, right.right));
      }
      return new Tree(
          new Tree(left, middle.key, middle.value, inner), right.key, right.value, right.right);
    }
    return new Tree(left, middle.key, middle.value, right);
  }

  /// Walks a tree in key order.
  static final class Walk implements Source {
    private final Tree[] path;
    private int depth;

    /// Stands on the first key ≥ `from`.
    Walk(@Nullable Tree tree, byte[] from) {
      path = new Tree[height(tree)];
      while (tree != null) {
        if (Arrays.compareUnsigned(from, tree.key) <= 0) {
          path[depth++] = tree;
          tree = tree.left;
        } else {
          tree = tree.right;
        }
      }
    }

    @Override
    public byte @Nullable [] key() {
      return depth == 0 ? null : path[depth - 1].key;
    }

    @Override
    public byte @Nullable [] value() {
      return path[depth - 1].value;
    }

    @Override
    public void next() {
      Tree tree = path[--depth].right;
      while (tree != null) {
        path[depth++] = tree;
        tree = tree.left;
      }
    }
  }
}
