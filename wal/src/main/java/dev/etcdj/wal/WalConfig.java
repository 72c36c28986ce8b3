package dev.etcdj.wal;

/// @param segmentBytes size a segment is preallocated to; a save that passes it cuts
/// @param unsafeNoFsync never sync (a crash then loses acknowledged writes)
/// @param maxSegments files kept, released ones included, before released ones are deleted; 0
///     keeps all (LIM-27)
public record WalConfig(long segmentBytes, boolean unsafeNoFsync, int maxSegments) {
  /// etcd's sizes, every promise kept.
  public static final WalConfig DEFAULT = new WalConfig(64_000_000, false);

  public WalConfig {
    if (segmentBytes < 4096 || maxSegments < 0) {
      throw new IllegalArgumentException(
          "segmentBytes " + segmentBytes + ", maxSegments " + maxSegments);
    }
  }

  /// As many files kept as etcd keeps.
  public WalConfig(long segmentBytes, boolean unsafeNoFsync) {
    this(segmentBytes, unsafeNoFsync, 5);
  }
}
