package dev.etcdj.mvcc.index;

import org.jspecify.annotations.Nullable;

/// The index as it was when the view was taken. A frozen view ([KeyIndex#freeze]) is immutable:
/// any thread, no locks, for as long as it likes. One on the writer's own tree
/// ([KeyIndex#working]) is the writer's, until its next change.
///
/// A read names the revision it wants to see; [#NEWEST] means whatever is newest in the view.
public final class IndexView {
  /// Every change in the view.
  public static final long NEWEST = Long.MAX_VALUE;

  final Node root;

  IndexView(Node root) {
    this.root = root;
  }

  /// Receives keys in order; returns whether to go on. `hit` is reused.
  @FunctionalInterface
  public interface Visitor {
    boolean visit(Hit hit);
  }

  /// Finds `key` as of `revision`.
  ///
  /// @param into set when found
  /// @return whether the key exists there
  public boolean find(byte[] key, long revision, Hit into) {
    Node node = root;
    while (node instanceof Branch branch) {
      node = branch.child(branch.childFor(key));
    }
    Leaf leaf = (Leaf) node;
    int at = leaf.lowerBound(key);
    return leaf.holds(at, key) && into.seek(leaf, at, revision);
  }

  /// Visits the keys of `range` that exist at `revision`, in order, until the visitor returns
  /// false.
  public void scan(KeyRange range, long revision, Visitor visitor) {
    Hit hit = new Hit();
    if (!range.single()) {
      scan(root, range.from(), range.to(), revision, hit, visitor);
    } else if (find(range.from(), revision, hit)) {
      visitor.visit(hit);
    }
  }

  /// Keys of `range` that exist at `revision`. O(log n) for [#NEWEST]; before it, what did not
  /// change since is counted by subtrees, so it costs what changed since then.
  public long count(KeyRange range, long revision) {
    if (range.single()) {
      return find(range.from(), revision, new Hit()) ? 1 : 0;
    }
    return count(root, range.from(), range.to(), revision);
  }

  /// Keys that exist in the newest state.
  public long liveCount() {
    return root.live;
  }

  private static boolean scan(
      Node node,
      byte @Nullable [] from,
      byte @Nullable [] to,
      long revision,
      Hit hit,
      Visitor visitor) {
    if (node instanceof Branch branch) {
      int first = from == null ? 0 : branch.childFor(from);
      int last = to == null ? branch.size() - 1 : branch.childFor(to);
      for (int i = first; i <= last; i++) {
        byte[] childFrom = i == first ? from : null;
        byte[] childTo = i == last ? to : null;
        if (!scan(branch.child(i), childFrom, childTo, revision, hit, visitor)) {
          return false;
        }
      }
      return true;
    }
    Leaf leaf = (Leaf) node;
    int end = to == null ? leaf.size() : leaf.lowerBound(to);
    for (int i = from == null ? 0 : leaf.lowerBound(from); i < end; i++) {
      if (hit.seek(leaf, i, revision) && !visitor.visit(hit)) {
        return false;
      }
    }
    return true;
  }

  private static long count(
      Node node, byte @Nullable [] from, byte @Nullable [] to, long revision) {
    boolean newest = node.maxMod <= revision;
    if (from == null && to == null && newest) {
      return node.live;
    }
    return node instanceof Branch branch
        ? countBranch(branch, from, to, revision, newest)
        : countLeaf((Leaf) node, from, to, revision, newest);
  }

  private static long countBranch(
      Branch branch, byte @Nullable [] from, byte @Nullable [] to, long revision, boolean newest) {
    int first = from == null ? 0 : branch.childFor(from);
    int last = to == null ? branch.size() - 1 : branch.childFor(to);
    if (first > last) {
      return 0;
    }
    if (first == last) {
      return count(branch.child(first), from, to, revision);
    }
    long count =
        count(branch.child(first), from, null, revision)
            + count(branch.child(last), null, to, revision);
    if (newest) {
      return count + branch.liveBefore(last) - branch.liveBefore(first + 1);
    }
    for (int i = first + 1; i < last; i++) {
      count += count(branch.child(i), null, null, revision);
    }
    return count;
  }

  private static long countLeaf(
      Leaf leaf, byte @Nullable [] from, byte @Nullable [] to, long revision, boolean newest) {
    int start = from == null ? 0 : leaf.lowerBound(from);
    int end = to == null ? leaf.size() : leaf.lowerBound(to);
    if (start >= end) {
      return 0;
    }
    if (newest) {
      return leaf.liveBefore(end) - leaf.liveBefore(start);
    }
    Hit hit = new Hit();
    long count = 0;
    for (int i = start; i < end; i++) {
      count += hit.seek(leaf, i, revision) ? 1 : 0;
    }
    return count;
  }
}
