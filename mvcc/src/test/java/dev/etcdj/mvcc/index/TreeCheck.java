package dev.etcdj.mvcc.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The tree's invariants: keys ascend and lie where separators say, no node is overfull, live
/// counts add up, no change is newer than `maxMod`, all leaves are equally deep.
final class TreeCheck {
  int keys;
  int historyRows;
  private int leafDepth = -1;
  private byte @Nullable [] last;

  static TreeCheck of(IndexView view) {
    TreeCheck check = new TreeCheck();
    check.visit(view.root, 0, null, null);
    return check;
  }

  private void visit(Node node, int depth, byte @Nullable [] from, byte @Nullable [] to) {
    switch (node) {
      case Leaf leaf -> leaf(leaf, depth, from, to);
      case Branch branch -> branch(branch, depth, from, to);
    }
  }

  private void branch(Branch branch, int depth, byte @Nullable [] from, byte @Nullable [] to) {
    assertTrue(branch.size() > 0 && branch.size() <= Branch.MAX_CHILDREN);
    int live = 0;
    for (int i = 0; i < branch.size(); i++) {
      Node child = branch.child(i);
      live += child.live;
      assertEquals(live, branch.liveBefore(i + 1));
      assertTrue(child.maxMod <= branch.maxMod);
      visit(
          child,
          depth + 1,
          i == 0 ? from : branch.lowerBoundOf(i),
          i + 1 == branch.size() ? to : branch.lowerBoundOf(i + 1));
    }
    assertEquals(live, branch.live);
  }

  private void leaf(Leaf leaf, int depth, byte @Nullable [] from, byte @Nullable [] to) {
    assertTrue(leafDepth < 0 || depth == leafDepth);
    leafDepth = depth;
    assertTrue(leaf.size() > 0 || depth == 0);
    assertTrue(leaf.size() <= Leaf.MAX_ENTRIES);
    assertEquals(leaf.liveBefore(leaf.size()), leaf.live);
    for (int i = 0; i < leaf.size(); i++) {
      byte[] key = leaf.key(i);
      assertTrue(last == null || Arrays.compareUnsigned(last, key) < 0);
      assertTrue(from == null || Arrays.compareUnsigned(from, key) <= 0);
      assertTrue(to == null || Arrays.compareUnsigned(key, to) < 0);
      assertTrue(leaf.mods[i] <= leaf.maxMod);
      History history = leaf.history(i);
      historyRows += history == null ? 0 : history.count();
      keys++;
      last = key;
    }
  }
}
