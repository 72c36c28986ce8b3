package dev.etcdj.mvcc.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The writer's side of the index: a B+tree that is copied where it changes. [#freeze] hands the
/// present tree to readers and opens a new epoch; from then on the first change below a node
/// copies that node, further ones in the same epoch change the copy in place. So one transaction
/// copies each path once, however many keys it writes.
///
/// One thread at a time: the apply loop.
public final class KeyIndex {
  private static final int MAX_DEPTH = 16;

  /// Below this a node is merged into a neighbour, if the two then fill at most three quarters.
  private static final int MIN_FILL = Leaf.MAX_ENTRIES / 4;

  private static final int MERGED_FILL = Leaf.MAX_ENTRIES * 3 / 4;

  private Node root = Leaf.EMPTY;
  private long epoch;

  /// Where the last descent went: `path[i]` took child `steps[i]`, and ended in `leaf`.
  private final Branch[] path = new Branch[MAX_DEPTH];

  private final int[] steps = new int[MAX_DEPTH];
  private int depth;
  private Leaf leaf = Leaf.EMPTY;

  /// Where the next prune step goes on; null when no pass is under way.
  private byte @Nullable [] pruneFrom;

  private long pruneRevision;

  /// What a put did to its key's generation.
  ///
  /// @param create main revision that began the generation
  /// @param version puts in the generation, this one included
  /// @param previousMain main revision of the put before it in the generation, 0 for none
  public record Put(long create, long version, long previousMain, int previousSub) {
    /// Whether the key did not exist before.
    public boolean created() {
      return version == 1;
    }
  }

  /// Records a put of `key` at a revision greater than all before.
  public Put put(byte[] key, long main, int sub) {
    descend(key);
    int at = leaf.lowerBound(key);
    if (!leaf.holds(at, key)) {
      insert(at, key, main, sub, main, 1);
      return new Put(main, 1, 0, 0);
    }
    long version = leaf.versions[at];
    if (version == 0) {
      supersede(at, main, sub, main, 1);
      return new Put(main, 1, 0, 0);
    }
    Put put = new Put(leaf.creates[at], version + 1, leaf.mods[at], leaf.sub(at));
    supersede(at, main, sub, put.create, put.version);
    return put;
  }

  /// Records the deletion of `key`.
  ///
  /// @return false, with nothing changed, if the key does not exist
  public boolean delete(byte[] key, long main, int sub) {
    descend(key);
    int at = leaf.lowerBound(key);
    if (!leaf.holds(at, key) || leaf.versions[at] == 0) {
      return false;
    }
    supersede(at, main, sub, 0, 0);
    return true;
  }

  /// Records a stored change while the index is rebuilt; `version` 0 for a tombstone.
  public void load(byte[] key, long main, int sub, long create, long version) {
    descend(key);
    int at = leaf.lowerBound(key);
    if (leaf.holds(at, key)) {
      supersede(at, main, sub, create, version);
    } else {
      insert(at, key, main, sub, create, version);
    }
  }

  /// Gives back the room that rebuilding left in the leaves.
  public void trim() {
    trim(root);
  }

  /// What readers may see from now on.
  public IndexView freeze() {
    epoch++;
    return new IndexView(root);
  }

  /// The writer's own view; valid until its next change.
  public IndexView working() {
    return new IndexView(root);
  }

  /// Begins to drop what no read at `revision` or later needs; [#pruneStep] does the work.
  public void beginPrune(long revision) {
    pruneFrom = new byte[0];
    pruneRevision = revision;
  }

  /// Whether a prune pass is under way.
  public boolean isPruning() {
    return pruneFrom != null;
  }

  /// Goes on with the pass over at most `leaves` leaves.
  ///
  /// @return whether there is more to do
  public boolean pruneStep(int leaves) {
    for (int i = 0; i < leaves && pruneFrom != null; i++) {
      descend(pruneFrom);
      pruneFrom = upperBound();
      Leaf pruned = leaf.pruned(epoch, pruneRevision);
      if (pruned != leaf) {
        leaf = pruned;
        climb(null, null, false);
        shrink();
      }
    }
    return pruneFrom != null;
  }

  private void descend(byte[] key) {
    Node node = root;
    depth = 0;
    while (node instanceof Branch branch) {
      int step = branch.childFor(key);
      path[depth] = branch;
      steps[depth++] = step;
      node = branch.child(step);
    }
    leaf = (Leaf) node;
  }

  /// Least key behind the leaf of the last descent, null at the end.
  private byte @Nullable [] upperBound() {
    for (int i = depth - 1; i >= 0; i--) {
      if (steps[i] + 1 < path[i].size()) {
        return path[i].lowerBoundOf(steps[i] + 1);
      }
    }
    return null;
  }

  private void supersede(int at, long main, int sub, long create, long version) {
    leaf = leaf.owned(epoch, 0, 0);
    leaf.supersede(at, main, sub, create, version);
    climb(null, null, false);
  }

  private void insert(int at, byte[] key, long main, int sub, long create, long version) {
    boolean last = at == leaf.size() && upperBound() == null;
    leaf = leaf.owned(epoch, 1, key.length);
    leaf.insert(at, key, main, sub, create, version);
    if (!leaf.isOverfull()) {
      climb(null, null, false);
      return;
    }
    // Ascending inserts at the very end leave full leaves behind, not half-full ones.
    Leaf right = leaf.split(last ? leaf.size() - 1 : leaf.splitPoint());
    climb(separator(leaf.key(leaf.size() - 1), right.key(0)), right, last);
  }

  /// Shortest key that is > `left` and ≤ `right`.
  private static byte[] separator(byte[] left, byte[] right) {
    int common = Arrays.mismatch(left, right);
    return Arrays.copyOf(right, common + 1);
  }

  /// Puts the changed leaf, and `sibling` right of it, into its ancestors. `last`: these are the
  /// last of the tree.
  private void climb(byte @Nullable [] separator, @Nullable Node sibling, boolean last) {
    Node changed = leaf;
    byte[] bound = separator;
    Node right = sibling;
    for (int i = depth - 1; i >= 0; i--) {
      Branch parent = path[i].owned(epoch);
      path[i] = parent;
      parent.replace(steps[i], changed);
      if (right != null && bound != null) {
        parent.insert(steps[i] + 1, bound, right);
        right = null;
        if (parent.isOverfull()) {
          int middle = last ? parent.size() - 2 : parent.size() / 2;
          bound = parent.lowerBoundOf(middle);
          right = parent.split(middle);
        }
      }
      changed = parent;
    }
    root = right != null && bound != null ? Branch.over(epoch, changed, bound, right) : changed;
  }

  /// Takes an emptied leaf out, or merges a small one with a neighbour, and so on upwards. The path
  /// is the writer's own.
  private void shrink() {
    Node node = leaf;
    for (int i = depth - 1; i >= 0; i--) {
      Branch parent = path[i];
      if (node.size() == 0) {
        parent.remove(steps[i]);
      } else if (node.size() >= MIN_FILL || !mergeWithNeighbour(parent, steps[i])) {
        break;
      }
      for (int up = i - 1, child = i; up >= 0; up--, child--) {
        path[up].replace(steps[up], path[child]);
      }
      node = parent;
    }
    while (root instanceof Branch branch && branch.size() <= 1) {
      root = branch.size() == 0 ? Leaf.EMPTY : branch.child(0);
    }
  }

  private boolean mergeWithNeighbour(Branch parent, int at) {
    int left = at + 1 < parent.size() ? at : at - 1;
    if (left < 0) {
      return false;
    }
    Node merged =
        switch (parent.child(left)) {
          case Leaf a -> {
            Leaf b = (Leaf) parent.child(left + 1);
            boolean fits =
                a.size() + b.size() <= MERGED_FILL
                    && a.keyBytes() + b.keyBytes() <= Leaf.MAX_KEY_BYTES;
            yield fits ? a.concat(epoch, b) : null;
          }
          case Branch a -> {
            Branch b = (Branch) parent.child(left + 1);
            boolean fits = a.size() + b.size() <= MERGED_FILL;
            yield fits ? a.concat(epoch, parent.lowerBoundOf(left + 1), b) : null;
          }
        };
    if (merged == null) {
      return false;
    }
    parent.remove(left + 1);
    parent.replace(left, merged);
    return true;
  }

  private void trim(Node node) {
    switch (node) {
      case Leaf last -> {
        if (last.owner == epoch) {
          last.trim();
        }
      }
      case Branch branch -> {
        for (int i = 0; i < branch.size(); i++) {
          trim(branch.child(i));
        }
      }
    }
  }
}
