package dev.etcdj.mvcc.watch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Ranges with their watchers; finds those that hold a key in O(log n + found). A treap ordered by
/// start whose nodes know the largest end below them. Guarded by the hub's lock.
final class RangeTree {
  private static final class Node {
    final KeyRange range;
    final int priority;
    final WatcherSet watchers = new WatcherSet();
    @Nullable Node left;
    @Nullable Node right;
    byte @Nullable [] maxEnd;

    Node(KeyRange range, int priority) {
      this.range = range;
      this.priority = priority;
      this.maxEnd = range.end;
    }

    Node updated() {
      maxEnd = range.end;
      if (left != null && KeyRange.compareEnds(left.maxEnd, maxEnd) > 0) {
        maxEnd = left.maxEnd;
      }
      if (right != null && KeyRange.compareEnds(right.maxEnd, maxEnd) > 0) {
        maxEnd = right.maxEnd;
      }
      return this;
    }
  }

  private @Nullable Node root;

  /// State of a xorshift generator: only the shape of the tree hangs on it.
  private int shape = 0x2545f491;

  /// The watchers of exactly `range`, made when absent.
  WatcherSet at(KeyRange range) {
    Node found = find(range);
    if (found == null) {
      found = new Node(range, nextPriority());
      root = insert(root, found);
    }
    return found.watchers;
  }

  void remove(KeyRange range) {
    root = remove(root, range);
  }

  /// Adds to `into` the watchers of every range that holds the event's key.
  void collect(WatchEvent event, List<WatcherSet> into) {
    collect(root, event, into);
  }

  /// Adds all watchers.
  void collectAll(List<WatcherSet> into) {
    collectAll(root, into);
  }

  private static void collectAll(@Nullable Node node, List<WatcherSet> into) {
    if (node != null) {
      collectAll(node.left, into);
      into.add(node.watchers);
      collectAll(node.right, into);
    }
  }

  private static void collect(@Nullable Node node, WatchEvent event, List<WatcherSet> into) {
    for (Node at = node; at != null && event.isBelow(at.maxEnd); at = at.right) {
      collect(at.left, event, into);
      if (event.compareKey(at.range.start) < 0) {
        return;
      }
      if (event.isBelow(at.range.end)) {
        into.add(at.watchers);
      }
    }
  }

  private @Nullable Node find(KeyRange range) {
    Node at = root;
    while (at != null) {
      int order = range.order(at.range);
      if (order == 0) {
        return at;
      }
      at = order < 0 ? at.left : at.right;
    }
    return null;
  }

  private static Node insert(@Nullable Node node, Node added) {
    if (node == null) {
      return added;
    }
    if (added.range.order(node.range) < 0) {
      Node child = insert(node.left, added);
      node.left = child;
      if (child.priority > node.priority) {
        node.left = child.right;
        child.right = node.updated();
        return child.updated();
      }
    } else {
      Node child = insert(node.right, added);
      node.right = child;
      if (child.priority > node.priority) {
        node.right = child.left;
        child.left = node.updated();
        return child.updated();
      }
    }
    return node.updated();
  }

  private static @Nullable Node remove(@Nullable Node node, KeyRange range) {
    if (node == null) {
      return null;
    }
    int order = range.order(node.range);
    if (order == 0) {
      return merge(node.left, node.right);
    }
    if (order < 0) {
      node.left = remove(node.left, range);
    } else {
      node.right = remove(node.right, range);
    }
    return node.updated();
  }

  private static @Nullable Node merge(@Nullable Node low, @Nullable Node high) {
    if (low == null) {
      return high;
    }
    if (high == null) {
      return low;
    }
    if (low.priority > high.priority) {
      low.right = merge(low.right, high);
      return low.updated();
    }
    high.left = merge(low, high.left);
    return high.updated();
  }

  private int nextPriority() {
    shape ^= shape << 13;
    shape ^= shape >>> 17;
    shape ^= shape << 5;
    return shape;
  }
}
