package dev.etcdj.mvcc;

/// A change: `main` grows by one per transaction that changes anything, `sub` numbers the changes
/// inside it from 0 (KV-2, KV-3).
public record Revision(long main, long sub) implements Comparable<Revision> {
  @Override
  public int compareTo(Revision other) {
    int byMain = Long.compare(main, other.main);
    return byMain != 0 ? byMain : Long.compare(sub, other.sub);
  }
}
