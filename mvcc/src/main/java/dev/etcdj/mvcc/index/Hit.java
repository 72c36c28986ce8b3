package dev.etcdj.mvcc.index;

/// A key and one of its puts, as the index knows them. Scans reuse one instance: [#copy] what is
/// to be kept.
public final class Hit {
  private Leaf leaf = Leaf.EMPTY;
  private int position;
  private long modMain;
  private int modSub;
  private long create;
  private long version;

  /// Main revision of the put.
  public long modMain() {
    return modMain;
  }

  /// Sub revision of the put.
  public int modSub() {
    return modSub;
  }

  /// Main revision that began the generation.
  public long create() {
    return create;
  }

  /// Puts in the generation up to this one, from 1.
  public long version() {
    return version;
  }

  /// Copy of the key.
  public byte[] key() {
    return leaf.key(position);
  }

  /// A hit that stays as it is.
  public Hit copy() {
    Hit copy = new Hit();
    copy.leaf = leaf;
    copy.position = position;
    copy.modMain = modMain;
    copy.modSub = modSub;
    copy.create = create;
    copy.version = version;
    return copy;
  }

  /// Takes the change of entry `at` that a reader at `revision` sees.
  ///
  /// @return false when the key does not exist there
  boolean seek(Leaf in, int at, long revision) {
    leaf = in;
    position = at;
    if (in.mods[at] <= revision) {
      modMain = in.mods[at];
      modSub = in.sub(at);
      create = in.creates[at];
      version = in.versions[at];
      return version > 0;
    }
    History history = in.history(at);
    int row = history == null ? -1 : history.find(revision);
    if (history == null || row < 0) {
      return false;
    }
    modMain = history.main(row);
    modSub = history.sub(row);
    create = history.create(row);
    version = history.version(row);
    return version > 0;
  }
}
